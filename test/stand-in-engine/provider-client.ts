import { credentials } from "@grpc/grpc-js";
import providerService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages, {
  type CheckResponse,
  type CreateResponse,
  type DiffResponse,
  type ReadResponse,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { type PropertyMap, parseProperties } from "./property-value.ts";

/** The calls of the engine that are about resources. */
export type ProviderMethod = "Configure" | "Check" | "Diff" | "Create" | "Update" | "Read" | "Delete";

/** Calls a provider with plain values in the place of messages. */
export class ProviderClient {
  readonly client: InstanceType<typeof providerService.ResourceProviderClient>;

  constructor(address: string) {
    this.client = new providerService.ResourceProviderClient(address, credentials.createInsecure(), MESSAGE_LIMIT);
  }

  async call(method: ProviderMethod, request: PropertyMap): Promise<PropertyMap> {
    return withoutEmpty(await this.#send(method, request));
  }

  async #send(method: ProviderMethod, request: PropertyMap): Promise<object> {
    const { client } = this;
    const text = (key: string) => String(request[key] ?? "");
    const struct = (key: string) => structOf(parseProperties(request[key]));
    const identified = <Message extends Identified>(message: Message): Message => {
      message.setUrn(text("urn"));
      message.setName(text("name"));
      message.setType(text("type"));
      return message;
    };
    const isPreview = request["preview"] === true;
    switch (method) {
      case "Configure": {
        const message = identified(new messages.ConfigureRequest()).setArgs(struct("args")).setId(text("id"));
        message.setAcceptsecrets(true).setAcceptresources(true);
        message.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
        for (const [key, value] of Object.entries(parseProperties(request["variables"]))) {
          message.getVariablesMap().set(key, String(value));
        }
        await answerOf<unknown>((done) => client.configure(message, done));
        return {};
      }
      case "Check": {
        const message = identified(new messages.CheckRequest()).setOlds(struct("olds")).setNews(struct("news"));
        const answer = await answerOf<CheckResponse>((done) => client.check(message, done));
        const failures = answer.getFailuresList().map((failure) => withoutEmpty(failure.toObject()));
        return { inputs: answer.getInputs()?.toJavaScript(), failures };
      }
      case "Diff": {
        const message = identified(new messages.DiffRequest()).setId(text("id")).setOlds(struct("olds"));
        message.setNews(struct("news")).setOldInputs(struct("oldInputs"));
        message.setIgnorechangesList([request["ignoreChanges"] ?? []].flat().map(String));
        const answer = await answerOf<DiffResponse>((done) => client.diff(message, done));
        return { changes: ["", "DIFF_NONE", "DIFF_SOME"][answer.getChanges()], replaces: answer.getReplacesList() };
      }
      case "Create": {
        const message = identified(new messages.CreateRequest()).setProperties(struct("properties"));
        const answer = await answerOf<CreateResponse>((done) => client.create(message.setPreview(isPreview), done));
        return { id: answer.getId(), properties: answer.getProperties()?.toJavaScript() };
      }
      case "Update": {
        const message = identified(new messages.UpdateRequest()).setId(text("id")).setOlds(struct("olds"));
        message.setNews(struct("news")).setOldInputs(struct("oldInputs"));
        const answer = await answerOf<UpdateResponse>((done) => client.update(message.setPreview(isPreview), done));
        return { properties: answer.getProperties()?.toJavaScript() };
      }
      case "Read": {
        const message = identified(new messages.ReadRequest()).setId(text("id")).setProperties(struct("properties"));
        // An import has none.
        if (request["inputs"] !== undefined) message.setInputs(struct("inputs"));
        const answer = await answerOf<ReadResponse>((done) => client.read(message, done));
        const [properties, inputs] = [answer.getProperties()?.toJavaScript(), answer.getInputs()?.toJavaScript()];
        return { id: answer.getId(), properties, inputs };
      }
      case "Delete": {
        const message = identified(new messages.DeleteRequest()).setId(text("id"));
        message.setProperties(struct("properties")).setOldInputs(struct("oldInputs"));
        await answerOf<unknown>((done) => client.delete(message, done));
        return {};
      }
    }
  }
}

export const MESSAGE_LIMIT = { "grpc.max_receive_message_length": 400 << 20 };

interface Identified {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

export function structOf(properties: PropertyMap): structs.Struct {
  return structs.Struct.fromJavaScript(properties);
}

/** Resolves with what a provider answers. */
export function answerOf<Answer>(
  send: (done: (error: { readonly details: string } | null, answer: Answer) => void) => unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    send((error, answer) => (error ? reject(new Error(error.details)) : resolve(answer)));
  });
}

/** Leaves out what is empty. */
function withoutEmpty(message: object): PropertyMap {
  const isFull = ([, value]: [string, unknown]) =>
    value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
  return parseProperties(Object.fromEntries(Object.entries(message).filter(isFull)));
}
