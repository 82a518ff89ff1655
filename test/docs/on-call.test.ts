import { expect, it } from "vitest";
import { PROXY_ROWS, ROWS } from "../../sdk/transport/connection-error.ts";
import { PAGES } from "../plugin/examples-in.ts";

const quotes = Array.from(PAGES.get("docs/on-call.md")?.matchAll(/`([^`]{8,})`/g) ?? [], ([, quote = ""]) => quote);

it.each([...ROWS, ...PROXY_ROWS].map(({ code, says }) => ({ code, says })))(
  "the page for the one on call says what to do if $says",
  ({ code, says }) => {
    const words = says.replaceAll(/\{\w+\}/g, "…");
    const isQuoted = quotes.some((quote) => words.includes(quote.replace(/^its certificate … /, "")));
    expect(isQuoted || quotes.includes(`#${code.toLowerCase()}`)).toBe(true);
  },
);
