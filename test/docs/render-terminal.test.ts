import { expect, it } from "vitest";
import { DARK, renderTerminal } from "../../examples/demo/render-terminal.ts";

it("puts each run of text in its column, with its colour", () => {
  const svg = renderTerminal("  \x1b[38;5;3m~ size: \x1b[0m\x1b[38;5;1m1000\x1b[0m", DARK);
  expect([...svg.matchAll(/<text x="(.+?)".*?>(.+)<\/text>/g)].map(([, x, text]) => [x, text])).toEqual([
    ["36.8", "~ size:"],
    ["104.0", "1000"],
  ]);
  expect(svg).toMatch(/fill="#ff7b72">1000</);
});

it("keeps a colour beyond the end of a line", () => {
  expect(renderTerminal("\x1b[1mone\ntwo\x1b[0m three", DARK)).toMatch(/bold">two</);
});

it("escapes what has a meaning in SVG", () => {
  expect(renderTerminal('"a" => <b> & c', DARK)).toContain(">&#34;a&#34; =&#62; &#60;b&#62; &#38; c<");
});

it.for(["\x1b[38;5;99mtext", "\x1b[4mtext", "\x1b[2Jtext"])("refuses what it can't draw: %j", (text) => {
  expect(() => renderTerminal(text, DARK)).toThrow("control sequence");
});
