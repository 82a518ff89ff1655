import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkConnection } from "../../sdk/client/connection.ts";
import { readConnectionTexts } from "../../sdk/shared/connection-settings.ts";
import { CA_FILE } from "./test-certificate.ts";

const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };

describe("baseUrl", () => {
  it.each([
    ["https://example.com", "https://example.com/api/public/v1.0"],
    ["https://example.com/", "https://example.com/api/public/v1.0"],
    ["https://EXAMPLE.com:8443//", "https://example.com:8443/api/public/v1.0"],
    ["https://example.com/api/public/v1.0", "https://example.com/api/public/v1.0"],
    ["https://example.com/api/public/v1.0/", "https://example.com/api/public/v1.0"],
    ["https://example.com:443/ops", "https://example.com/ops/api/public/v1.0"],
    ["https://example.com/ops//api/public/v1.0//", "https://example.com/ops/api/public/v1.0"],
    ["HTTPS://example.com", "https://example.com/api/public/v1.0"],
    ["https://[::1]:8443", "https://[::1]:8443/api/public/v1.0"],
  ])("%s is %s", (given, expected) => {
    expect(checkConnection({ ...KEYS, baseUrl: given }).baseUrl).toBe(expected);
  });

  it.each([
    ["example.com", "is not a URL with a scheme and a host"],
    ["example.com:8443", "is not a URL with a scheme and a host"],
    ["ftp://example.com", "has the scheme ftp:, not https:"],
    ["https://user:pass-0001@example.com", "has credentials in it"],
    ["https://example.com?a=b", "has a query or a fragment"],
    ["https://example.com#a", "has a query or a fragment"],
    ["http://example.com", "set allowHttp to true"],
    ["https://example.com/api/public/v1.0/groups", "has a path behind /api/public/v1.0"],
  ])("%s is refused", (given, says) => {
    const check = () => checkConnection({ ...KEYS, baseUrl: given });
    expect(check).toThrow(says);
    expect(check).not.toThrow("pass-0001");
  });

  it("may be plain http where that is allowed", () => {
    const { baseUrl } = checkConnection({ ...KEYS, baseUrl: "http://localhost:8080", allowHttp: true });
    expect(baseUrl).toBe("http://localhost:8080/api/public/v1.0");
  });
});

describe("options", () => {
  const valid = { ...KEYS, baseUrl: "https://example.com" };

  it("have the defaults that their documentation gives", () => {
    expect(checkConnection(valid)).toMatchObject({ timeoutSeconds: 30, maxRetries: 3, caCertificate: undefined });
  });

  it.each([
    [{ timeoutSeconds: 0 }, "timeoutSeconds must be more than 0"],
    [{ timeoutSeconds: 3601 }, "timeoutSeconds must be at most 3600"],
    [{ maxRetries: -1 }, "maxRetries must be at least 0"],
    [{ maxRetries: 1.5 }, "maxRetries must be a whole number"],
    [{ publicKey: "" }, "publicKey must not be empty"],
    [{ publicKey: "a\r\nb" }, "publicKey must not have control characters"],
    [{ privateKey: "pasted-0001\n" }, "privateKey must not begin or end with white space"],
    [{ proxy: "p" }, "unknown: proxy."],
    [
      { timeoutseconds: 3, maxRetry: 1 },
      "unknown: timeoutseconds (did you mean timeoutSeconds?), maxRetry (did you mean maxRetries?)",
    ],
  ])("%o are refused", (options, says) => {
    expect(() => checkConnection({ ...valid, ...options })).toThrow(says);
  });
});

describe("caCertificate", () => {
  const valid = { ...KEYS, baseUrl: "https://example.com" };
  const PEM = readFileSync(CA_FILE, "utf8");

  function file(text: string): string {
    const folder = mkdtempSync(path.join(tmpdir(), "ca-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const name = path.join(folder, "ca.pem");
    writeFileSync(name, text);
    return name;
  }

  it("is PEM text or a file of it", () => {
    expect(checkConnection({ ...valid, caCertificate: PEM }).caCertificate).toBe(PEM);
    expect(checkConnection({ ...valid, caCertificate: file(PEM) }).caCertificate).toBe(PEM);
  });

  it("may have the ends of its lines as they are written in a variable", () => {
    expect(checkConnection({ ...valid, caCertificate: PEM.replaceAll("\n", "\\n") }).caCertificate).toBe(PEM);
  });

  it("may be several certificates, each of which can be read", () => {
    expect(checkConnection({ ...valid, caCertificate: `${PEM}${PEM}` }).caCertificate).toBe(`${PEM}${PEM}`);
    const broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    const check = () => checkConnection({ ...valid, caCertificate: `${PEM}${broken}` });
    expect(check).toThrow("caCertificate: the text holds no PEM certificate that can be read.");
  });

  it("is not quoted where it looks like no path", () => {
    expect(() => checkConnection({ ...valid, caCertificate: "c2VjcmV0" })).toThrow(
      "caCertificate is neither PEM text nor the path of a file that can be read (ENOENT).",
    );
  });

  it("is refused where it is neither", () => {
    expect(() => checkConnection({ ...valid, caCertificate: "/no/such/file" })).toThrow("/no/such/file (ENOENT)");
    expect(() => checkConnection({ ...valid, caCertificate: file("hello") })).toThrow("holds no PEM certificate");
  });

  it("is not quoted where it is another kind of PEM", () => {
    const key = "-----BEGIN PRIVATE KEY-----\nMIIsecret\n";
    expect(() => checkConnection({ ...valid, caCertificate: key })).toThrow(
      "caCertificate: the text holds no PEM certificate that can be read. See",
    );
  });
});

describe("settings as text", () => {
  const required = { ...KEYS, baseUrl: "https://example.com" };

  it("become booleans and numbers", () => {
    const read = readConnectionTexts({ ...required, allowHttp: "false", timeoutSeconds: "2.5", maxRetries: "0" });
    expect(read).toMatchObject({ allowHttp: false, timeoutSeconds: 2.5, maxRetries: 0 });
  });

  it.each([
    [{ allowHttp: "yes" }, 'allowHttp must be true or false, not "yes"'],
    [{ timeoutSeconds: "soon" }, 'timeoutSeconds must be a number, not "soon"'],
    [{ maxRetries: "-1" }, 'maxRetries must be a number, not "-1"'],
  ])("%o are refused", (texts, says) => {
    expect(() => readConnectionTexts({ ...required, ...texts })).toThrow(says);
  });

  it("that are missing are named all at once, with the three places for each", () => {
    expect(() => readConnectionTexts({ publicKey: "publickey" })).toThrow(
      "Connection settings are missing: baseUrl, privateKey. Give them to a Provider, or to the stack (pulumi config set agent-log-config:baseUrl, agent-log-config:privateKey; privateKey with --secret), or in the environment (AGENT_LOG_CONFIG_BASE_URL, AGENT_LOG_CONFIG_PRIVATE_KEY).",
    );
  });
});
