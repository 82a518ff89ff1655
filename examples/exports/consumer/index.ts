import * as pulumi from "@pulumi/pulumi";

const publisher = new pulumi.StackReference(new pulumi.Config().require("publisher"));

// Any resource that needs the path; this stack knows neither the service nor its key.
new pulumi.Stash("disk-alarm", { input: { path: publisher.requireOutput("logPath") } });

export const watched = publisher.requireOutput("logPath");
export const overrides = publisher.getOutput("configOverrides"); // still a secret
