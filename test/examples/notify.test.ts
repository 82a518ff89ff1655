import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { describeChanges } from "../../examples/notify/describe-changes.ts";
import { PROJECT_ID, SETTINGS, skipWithout } from "../deployment/open-program.ts";
import { listen } from "../servers/listen.ts";
import { openExample } from "./open-example.ts";

it("describes settings that changed, no overrides, and nothing that a chat would take for a mention or a link", () => {
  const before = { logPath: "/a", logRotate: null, configOverrides: { key: "old" } };
  const after = { logPath: "/<!channel>", logRotate: { numTotal: 5 }, username: null, configOverrides: { key: "new" } };
  expect(describeChanges(before, after)).toEqual([
    'logPath was "/a" and is "/&lt;!channel&gt;"',
    'logRotate was null and is {"numTotal":5}',
  ]);
  expect(describeChanges({}, { username: "a&b" })).toEqual(['username was null and is "a&amp;b"']);
});

it("posts drift in previews and updates, and warns where the webhook fails", async (context) => {
  // The stand-in engine has no hooks.
  skipWithout(context, "real");
  const posts: string[] = [];
  const webhook = createServer(async (request, response) => {
    posts.push(await text(request));
    response.writeHead(posts.length > 1 ? 500 : 200).end();
  });
  const address = `http://127.0.0.1:${await listen(webhook)}`;
  const { deployment, service } = await openExample(context, "notify", { projectId: PROJECT_ID });
  await deployment.setConfig("notify:webhook", address, { secret: true });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(posts).toEqual([]);

  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logPath: "/elsewhere" });
  expect(await deployment.preview()).toMatchObject({ ok: true });
  const changes = `changed log settings of ${PROJECT_ID}/monitoring: logPath was "${SETTINGS.logPath}" and is "/elsewhere".`;
  expect(posts.map((post) => JSON.parse(post))).toEqual([{ text: `A preview found ${changes}` }]);
  const updated = await deployment.up();
  expect(updated.ok).toBe(true);
  expect(updated.text).toContain("The webhook responded with status 500.");
  expect(posts).toHaveLength(2);
});
