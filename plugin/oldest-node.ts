import manifest from "../package.json" with { type: "json" };

/** The oldest version of Node.js that runs the plugin. */
export const OLDEST_NODE = manifest.engines.node.replace(">=", "");
