import { createRequire } from "node:module";
import { Agent } from "undici";
import { CONNECTIONS } from "./connections.ts";
import type { Contender } from "./contender.ts";
import { CREDENTIALS } from "./credentials.ts";
import { runReads } from "./run-reads.ts";
import { pathOf } from "./start-server.ts";

interface Authenticator {
  authorize(method: string, uri: string): string;
}
type WwwAuthenticate = (username: string, password: string) => (challenge: string) => Authenticator;

const require = createRequire(new URL("peers/package.json", import.meta.url));

/** It only computes answers: sending them is left to whoever uses it, and this is the least that works. */
export function wwwAuthenticateContender(version: string): Contender {
  return {
    name: `undici + www-authenticate ${version}`,
    async open({ origin }) {
      const wwwAuthenticate: WwwAuthenticate = require("www-authenticate");
      const path = pathOf("shared");
      const dispatcher = new Agent({ connections: CONNECTIONS });
      const onChallenge = wwwAuthenticate(CREDENTIALS.username, CREDENTIALS.password);
      let authenticator: Authenticator | undefined;
      const send = () => {
        const headers = authenticator === undefined ? {} : { authorization: authenticator.authorize("GET", path) };
        return dispatcher.request({ origin, path, method: "GET", headers });
      };
      const read = async (): Promise<unknown> => {
        let { statusCode, headers, body } = await send();
        if (statusCode === 401) {
          await body.dump();
          authenticator = onChallenge(String(headers["www-authenticate"]));
          ({ body } = await send());
        }
        return body.json();
      };
      return { run: (reads, atATime) => runReads(read, reads, atATime), close: () => dispatcher.destroy() };
    },
  };
}
