import { parseProperties } from "./property-value.ts";
import { type ProviderHost, type ProviderMethod, startProviderHost } from "./provider-host.ts";
import type { RecordedCall, Recording } from "./recording.ts";

export interface ReplayOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What a mask of the recording stands for now, such as `{ "<base URL>": server.url }`. */
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * Asks the provider host of a program folder what the recorded engine has asked, and gives the calls with today's
 * answers. Each Configure starts a host, which answers what follows: record one provider at a time.
 */
export async function replay(recording: Recording, directory: string, options: ReplayOptions = {}): Promise<Recording> {
  const { env = {}, values = {} } = options;
  const answered: RecordedCall[] = [];
  let host: ProviderHost | undefined;
  try {
    for (const { method, request } of recording) {
      const providerMethod = asProviderMethod(method);
      if (providerMethod === undefined) continue;
      if (providerMethod === "Configure") await host?.stop();
      if (host === undefined || providerMethod === "Configure") {
        host = await startProviderHost({ directory, project: "replay", env });
      }
      const asked = parseProperties(JSON.parse(replaced(JSON.stringify(request), Object.entries(values))));
      const outcome = await host.call(providerMethod, asked).then(
        (response) => ({ response }),
        (error: Error) => ({ error: error.message }),
      );
      const masks = Object.entries(values).map(([mask, value]): [string, string] => [value, mask]);
      answered.push({ method, request, ...JSON.parse(replaced(JSON.stringify(outcome), masks)) });
    }
  } finally {
    await host?.stop();
  }
  return answered;
}

/** The calls of a recording that a provider host answers. */
export function providerCalls(recording: Recording): Recording {
  return recording.filter(({ method }) => asProviderMethod(method) !== undefined);
}

function asProviderMethod(method: string): ProviderMethod | undefined {
  const known: readonly ProviderMethod[] = ["Configure", "Check", "Diff", "Create", "Update", "Read", "Delete"];
  return known.find((name) => method === `ResourceProvider/${name}`);
}

function replaced(json: string, values: readonly (readonly [string, string])[]): string {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  return values.reduce((text, [from, to]) => text.replaceAll(inJson(from), inJson(to)), json);
}
