/** How the tests write private keys and the credentials in bodies. */
const SECRET = /private-key-\d{4}|body-[a-z-]+-\d{4}/;

/** @throws Error where a secret shows in what a person would see */
export function refuseSecrets(...texts: readonly string[]): void {
  const [secret] = SECRET.exec(texts.join("\n")) ?? [];
  if (secret !== undefined) throw new Error(`A secret shows: ${secret}`);
}
