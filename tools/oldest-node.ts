import manifest from "../package.json" with { type: "json" };

/** The oldest version of Node.js that runs the plugin. */
export const OLDEST_NODE = manifest.engines.node.replace(">=", "");

const [MAJOR, MINOR] = OLDEST_NODE.split(".");

/** A condition in JavaScript that is true where the numbers `major` and `minor` are those of an older version. */
export const IS_OLDER = `major < ${MAJOR} || (major === ${MAJOR} && minor < ${MINOR})`;
