import path from "node:path";
import { inject } from "vitest";

// Programs load the same modules again and again.
process.env["NODE_COMPILE_CACHE"] = path.join(inject("installedPackage"), "compiled");
