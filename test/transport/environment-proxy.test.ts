import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { environmentProxy } from "../../sdk/transport/environment-proxy.ts";

beforeEach(() => {
  for (const name of ["https_proxy", "http_proxy", "no_proxy"]) vi.stubEnv(name, "");
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) vi.stubEnv(name, "http://proxy.example.com:3128");
});
afterEach(() => void vi.unstubAllEnvs());

it.each<readonly [list: string, listed: readonly string[], others: readonly string[]]>([
  ["", [], ["https://a.com"]],
  ["*", ["https://a.com", "https://[::1]:8443"], []],
  ["x.com, *", ["https://a.com"], []],
  ["*:443", ["https://a.com"], ["https://a.com:8443", "http://a.com"]],
  ["A.com", ["https://a.com", "https://a.com.", "https://b.a.com:8443"], ["https://ba.com", "https://com"]],
  [".a.com.", ["https://a.com", "https://b.a.com"], ["https://ba.com"]],
  ["*.a.com", ["https://b.a.com"], ["https://a.com"]],
  ["x.com a.com:8443", ["https://a.com:8443"], ["https://a.com"]],
  ["127.0.0.1:80", ["http://127.0.0.1"], ["https://127.0.0.1"]],
  ["::1", ["https://[::1]", "https://[::1]:8443"], []],
  ["[::1]:8443", ["https://[::1]:8443"], ["https://[::1]"]],
  ["10.0.0.0/8", [], ["https://10.0.0.1"]],
  ["1, 0.1, .0.0.1, *.0.0.1, :1", [], ["https://127.0.0.1", "https://[::1]"]],
  ["x.com, 127.0.0.1, ::1", ["http://127.0.0.1", "https://127.0.0.1:8443", "https://[::1]"], ["https://127.0.0.2"]],
  [" , :443,", [], ["https://a.com"]],
])("NO_PROXY=%s lists %j, and not %j", (list, listed, others) => {
  vi.stubEnv("NO_PROXY", list);
  const isUsed = (url: string) => environmentProxy(new URL(url)) !== undefined;
  expect([listed.filter(isUsed), others.filter(isUsed)]).toEqual([[], others]);
});

it.each([
  // A URL would take a part of the password for the host.
  ...["testp@ss/word", "testp@ss?word", "testp@ss#word", "testp@ss\\word", "pass-0001/"].flatMap((password) =>
    ["http://", ""].map((scheme) => `${scheme}user:${password}@proxy.test:8080`),
  ),
  "http://user:pass-0001@word#@proxy.test:8080",
  "socks5://user:pass-0001@proxy.test:8080",
  "http://user:pass-0001%@proxy.test:8080",
])("HTTPS_PROXY=%s is refused, and nothing of it is quoted", (address) => {
  vi.stubEnv("HTTPS_PROXY", address);
  const read = () => environmentProxy(new URL("https://a.com"));
  expect(read).toThrow(expect.objectContaining({ code: "ERR_INVALID_SETTINGS" }));
  expect(read).toThrow(/^The environment variable HTTPS_PROXY is not the address of an http or https proxy\./);
  expect(read).not.toThrow(/testp@ss|pass-0001|proxy\.test/);
});

it.each([
  ["user:password@proxy.test:8080", "proxy.test:8080"],
  ["http://user:p%40ss%2Fw%3Fo%23rd@proxy.test:8080/", "proxy.test:8080"],
  ["https://proxy.test/path?query#page", "proxy.test"],
])("HTTPS_PROXY=%s is the address of the proxy %s", (address, host) => {
  vi.stubEnv("HTTPS_PROXY", address);
  expect(environmentProxy(new URL("https://a.com"))).toMatchObject({ host });
});
