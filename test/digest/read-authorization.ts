/**
 * Reads an `Authorization: Digest` header strictly by the grammar of RFC 9110, section 11.4. It shares no code with what is
 * tested.
 *
 * @throws if the header breaks the grammar or a parameter comes twice
 */
export function readAuthorization(header: string | undefined): Readonly<Record<string, string>> {
  if (!header?.startsWith("Digest ")) throw new Error(`No Digest credentials: ${header}`);
  const parameters: Record<string, string> = {};
  let rest = header.slice("Digest ".length);
  while (rest !== "") {
    const equals = rest.indexOf("=");
    const name = rest.slice(0, equals);
    if (!/^[a-z]+\*?$/.test(name)) throw new Error(`No parameter name: ${rest}`);
    if (name in parameters) throw new Error(`${name} comes twice`);
    const { value, length } = readValue(rest.slice(equals + 1));
    parameters[name] = value;
    rest = rest.slice(equals + 1 + length);
    if (rest === "") break;
    if (!rest.startsWith(", ")) throw new Error(`No comma: ${rest}`);
    rest = rest.slice(2);
  }
  return parameters;
}

function readValue(text: string): { readonly value: string; readonly length: number } {
  if (!text.startsWith('"')) {
    const end = text.indexOf(",");
    const value = end === -1 ? text : text.slice(0, end);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value)) throw new Error(`No token: ${value}`);
    return { value, length: value.length };
  }
  let value = "";
  for (let index = 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') return { value, length: index + 1 };
    if (character === "\\") index += 1;
    value += text.charAt(index);
  }
  throw new Error(`No closing quote: ${text}`);
}
