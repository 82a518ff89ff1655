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
