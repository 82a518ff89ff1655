import type * as pulumi from "@pulumi/pulumi";
import type {
  AgentLogConfig,
  AgentLogConfigArgs,
  AgentLogConfigResult,
  AgentLogConfigs,
  AgentLogConfigsArgs,
  GetAgentLogConfigArgs,
  GetAgentLogConfigsArgs,
  ProviderArgs,
  ReadManyResult,
} from "../../sdk/index.ts";

/** What each part of the schema stands for in the public face. Functions return no secrets, and SDKs have only the texts of a provider. */
export interface SchemaTypes {
  readonly configuration: ProviderArgs;
  readonly provider: ProviderArgs;
  readonly providerOutputs: Omit<ProviderArgs, "allowHttp" | "timeoutSeconds" | "maxRetries">;
  readonly resourceInputs: AgentLogConfigArgs;
  readonly resourceOutputs: Omit<AgentLogConfig, keyof pulumi.CustomResource | "__failures">;
  readonly fleetInputs: AgentLogConfigsArgs;
  readonly fleetOutputs: Omit<AgentLogConfigs, keyof pulumi.CustomResource | "__failures">;
  readonly getOneInputs: GetAgentLogConfigArgs;
  readonly getOneOutputs: WithoutSecrets;
  readonly getManyInputs: GetAgentLogConfigsArgs;
  readonly getManyOutputs: ReadManyResult<WithoutSecrets>;
}

type WithoutSecrets = Omit<AgentLogConfigResult, "configOverrides">;
