import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkOptions } from "../../sdk/model/connection-options.ts";
import { parseTexts } from "../../sdk/reading/open-client.ts";
import { KEYS } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const valid = { ...KEYS, baseUrl: "https://example.com" };

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
    ["https://example.com/api/ops", "https://example.com/api/ops/api/public/v1.0"],
    ["https://example.com/api/public//v1.0", "https://example.com/api/public/v1.0"],
    ["https://example.com/ops/api//public/v1.0", "https://example.com/ops/api/public/v1.0"],
    ["https://0123456789abcdef01234567/ops", "https://0123456789abcdef01234567/ops/api/public/v1.0"],
    ["https://[::1]:8443", "https://[::1]:8443/api/public/v1.0"],
  ])("%s is %s", (given, expected) => {
    expect(checkOptions({ ...KEYS, baseUrl: given }).baseUrl).toBe(expected);
  });

  it.each([
    ["example.com", "is not a URL with a scheme and a host; give an address such as https://example.com:8443."],
    ["pass-0001", "is not a URL with a scheme and a host; give"],
    ["mailto:pass-0001", "is not a URL with a scheme and a host; give"],
    ["//pass-0001", "is not a URL with a scheme and a host; give"],
    ["example.com:8443", "is not a URL with a scheme and a host"],
    ["ftp://example.com", 'has the scheme ftp: instead of https:: "ftp://example.com"'],
    ["https://user:pass-0001@example.com", 'which belong in publicKey and privateKey: "https://***@'],
    ["https://user:pass@-#0001:pass-0001@example.com/", '"https://***@example.com/"'],
    ["user:pass-0001@example.com", "is not a URL with a scheme and a host; give"],
    ["https://example.com?a=pass-0001", 'has a query: "https://example.com"'],
    ["https://example.com/?a=b#pass-0001", 'is the address of a page: "https://example.com/"; give an address such as'],
    [
      "https://example.com:8443/v2/0123456789abcdef01234567#deployment",
      'is the address of a page: "https://example.com:8443/v2/0123456789abcdef01234567"; give',
    ],
    ["http://example.com/#deployment", 'is the address of a page: "http://example.com/"; give'],
    ["http://example.com", "or set allowHttp if you trust the network."],
    ["https://example.com/api/public/v1.0/groups", 'v1.0/groups"; use https://example.com.'],
    ["https://example.com:8443/om//api/public/v1.0/groups", "; use https://example.com:8443/om."],
    [
      "https://example.com/api/public/v2.0",
      'has the path of another API, or of a page of a project: "https://example.com',
    ],
    ["https://example.com/om/api/atlas/v1.0/", "has the path of another API"],
    ["https://example.com/api//public/v2.0", "has the path of another API"],
    ["https://example.com/API/public/v1.0", "has the path of another API"],
    ["https://example.com/api/public", "has the path of another API"],
    ["https://example.com/v2/0123456789abcdef01234567", "or of a page of a project"],
    ["https://\u001b[2J<{%", "is not a URL with a scheme and a host"],
    ["x".repeat(1_000_000), "is not a URL with a scheme and a host"],
    [`${"x".repeat(1_000_000)}://example.com`, "has the scheme xxx"],
  ])("%.50s is refused", (given, says) => {
    const check = () => checkOptions({ ...KEYS, baseUrl: given });
    expect(check).toThrow(says);
    expect(check).not.toThrow(/pass-0001|\p{Cc}|<\{%/u);
    expect(check).not.toThrow(/.{600}/);
  });

  it("may be plain http where that is allowed", () => {
    const { baseUrl } = checkOptions({ ...KEYS, baseUrl: "http://localhost:8080", allowHttp: true });
    expect(baseUrl).toBe("http://localhost:8080/api/public/v1.0");
  });
});

describe("options", () => {
  it("have the defaults that their documentation gives", () => {
    expect(checkOptions(valid)).toMatchObject({ timeoutSeconds: 30, maxRetries: 5, caCertificate: undefined });
  });

  it.each([0.001, 3600])("may have a timeoutSeconds of %d", (timeoutSeconds) => {
    expect(checkOptions({ ...valid, timeoutSeconds })).toMatchObject({ timeoutSeconds });
  });

  it.each<readonly [options: object, says: RegExp | string]>([
    [{ timeoutSeconds: 0 }, "timeoutSeconds must be a number from 0.001 to 3600."],
    // It may be over before the timer is set, and Node.js warns of a negative one.
    [{ timeoutSeconds: 0.0009 }, "from 0.001 to 3600."],
    [{ timeoutSeconds: 3601 }, "from 0.001 to 3600."],
    [{ timeoutSeconds: Number.NaN }, "from 0.001 to 3600."],
    [{ maxRetries: -1 }, "maxRetries must be a whole number from 0 to 10."],
    [{ maxRetries: 1.5 }, "must be a whole number"],
    [{ allowHttp: "yes" }, "allowHttp must be true or false."],
    [{ baseUrl: undefined }, "baseUrl must be a string."],
    ...["", "pasted-0001\n", "pasted-0001\r\nb", " pasted-0001"].flatMap((key) =>
      (["publicKey", "privateKey"] as const).map(
        (name) =>
          [
            { [name]: key },
            new RegExp(
              `^The connection can't be used: ${name} must be a non-empty string of ASCII characters without leading or trailing white space\\. See \\S+$`,
            ),
          ] as const,
      ),
    ),
    [
      { privateKey: "{pasted-0001}" },
      /^The connection can't be used: privateKey is a map or a list; set it to one value\. See \S+$/,
    ],
    [{ timeoutseconds: 3, maxRetry: 1 }, "unknown names: timeoutseconds, maxRetry; the valid ones are baseUrl,"],
  ])("%o are refused", (options, says) => {
    const check = () => checkOptions({ ...valid, ...options });
    expect(check).toThrow(expect.objectContaining({ code: "ERR_INVALID_SETTINGS" }));
    expect(check).toThrow(says);
    expect(check).not.toThrow("pasted-0001");
  });
});

describe("caCertificate", () => {
  const PEM = readFileSync(CA_FILE, "utf8");
  const keyOf = (kind: string) => `-----BEGIN ${kind}-----\nMIIsecret\n-----END ${kind}-----\n`;

  function file(text: string): string {
    const name = path.join(temporaryFolder("ca"), "ca.pem");
    writeFileSync(name, text);
    return name;
  }

  it.each<readonly [string, () => string, string | undefined]>([
    ["PEM text", () => PEM, PEM],
    ["a file of it", () => file(PEM), PEM],
    ...["\\n", "\\r\\n", "\\\\n", "\\\\r\\\\n"].map(
      (end) => [`text whose ends of lines are the characters ${end}`, () => PEM.replaceAll("\n", end), PEM] as const,
    ),
    ["several certificates", () => `${PEM}${PEM}`, `${PEM}${PEM}`],
    ["a certificate among other text", () => `subject=CN=a\r\n${PEM}other text`, PEM],
    ["empty, as if it were absent", () => "", undefined],
    ["a file that has the key too", () => file(`${PEM}${keyOf("PRIVATE KEY")}`), PEM],
  ])("may be %s", (_, given, expected) => {
    expect(checkOptions({ ...valid, caCertificate: given() }).caCertificate).toBe(expected);
  });

  const broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const endless = "-----BEGIN CERTIFICATE-----".repeat(38_000);

  it.each<readonly [string, () => string, string]>([
    ["certificate that can't be read", () => `${PEM}${broken}`, "no PEM certificate, or one that can't be read;"],
    ["file of something else", () => file("hello"), "contains no PEM certificate"],
    [
      "file of something else below the folder of the process",
      () => path.relative(process.cwd(), file("hello")),
      `names the file ${path.resolve("/")}`,
    ],
    ["text that begins again and again", () => endless, "contains no PEM certificate"],
    ["file that begins again and again", () => file(endless), "contains no PEM certificate"],
    ["file that is not there", () => "/no/such/file", "/no/such/file (ENOENT)"],
    ["file below the folder of the process", () => "./no/ca.pem", `: ${path.resolve("no/ca.pem")} (ENOENT); give`],
    [
      "text that looks like no path, which is not quoted",
      () => "c2VjcmV0",
      "caCertificate is neither PEM text nor the path of a file that can be read (ENOENT);",
    ],
    ["folder", tmpdir, `the path of a file that can be read: ${tmpdir()} (EISDIR); give`],
  ])("is no %s", (_, given, says) => {
    const caCertificate = given();
    expect(() => checkOptions({ ...valid, caCertificate })).toThrow(says);
  });

  it.each(["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])("is refused with a %s, unquoted", (kind) => {
    const key = keyOf(kind);
    for (const caCertificate of [key, `${PEM}${key}`, `${PEM}${key}`.replaceAll("\n", "\\n")]) {
      const check = () => checkOptions({ ...valid, caCertificate });
      expect(check).toThrow(/caCertificate contains a private key; [^\n]+$/);
      expect(check).not.toThrow("MIIsecret");
    }
  });
});

describe("settings as text", () => {
  type Texts = Readonly<Record<string, string>>;
  const read = (texts: Texts) => checkOptions(parseTexts(texts), (name) => `the place of ${name}`);

  it.each([
    ["true", true],
    ["false", false],
  ])("become booleans and numbers, such as %s", (allowHttp, expected) => {
    const options = read({ ...valid, allowHttp, timeoutSeconds: "2.5", maxRetries: "0" });
    expect(options).toMatchObject({ allowHttp: expected, timeoutSeconds: 2.5, maxRetries: 0 });
    expect(checkOptions(options)).toEqual(options);
  });

  it.each([
    [{ allowHttp: "yes" }, "allowHttp (the place of allowHttp) must be true or false."],
    [{ allowHttp: "TRUE" }, "must be true or false."],
    [{ allowHttp: "0" }, "must be true or false."],
    [{ timeoutSeconds: "soon" }, "timeoutSeconds (the place of timeoutSeconds) must be a number from 0.001"],
    [{ timeoutSeconds: "-3" }, "must be a number from 0.001 to 3600."],
    [{ maxRetries: "1e1" }, "maxRetries (the place of maxRetries) must be a whole number from 0 to 10."],
    [{ baseUrl: "example.com" }, "baseUrl (the place of baseUrl) is not a URL"],
    [{ caCertificate: "/no/such/file" }, "caCertificate (the place of caCertificate) is neither"],
    [{ privateKey: " pasted-0001" }, "privateKey (the place of privateKey) must be"],
  ])("%o are refused with the place that they come from", (texts, says) => {
    expect(() => read({ ...valid, ...texts })).toThrow(says);
  });
});
