import { BlockList, isIP } from "node:net";

/** How advice names the address of the caller, as long as nobody knows which one the service has seen. */
export const OWN_ADDRESS = "the address of this machine";

/**
 * Names in advice the address of the caller that the service has seen. Behind a balancer it may see everybody with the same private
 * address, and to add that to an access list would let everybody in.
 * @param advice begins with {@link OWN_ADDRESS}
 * @param texts what the service sends beside its error: the first address in them counts
 * @returns the advice, and the same for all addresses of one kind
 */
export function nameAddress(
  advice: string,
  texts: readonly unknown[],
): { readonly says: string; readonly reason: string } {
  const address = addressIn(texts);
  if (address === undefined) return { says: advice, reason: advice };
  const isPrivate = PRIVATE_ADDRESSES.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  const hint = isPrivate ? advice.replace("; ", UNLESS_OF_BALANCER) : advice;
  return {
    says: hint.replace(OWN_ADDRESS, `the address ${address}`),
    reason: isPrivate ? hint.replace(OWN_ADDRESS, "a private address") : hint,
  };
}

const UNLESS_OF_BALANCER =
  "; if it is that of a balancer, let the service see the address of the client (mms.remoteIp.header), and otherwise ";

/** Returns the first address. A balancer may write it with a port, or as the first one of a list. */
function addressIn(texts: readonly unknown[]): string | undefined {
  const addresses = texts
    .filter((text) => typeof text === "string")
    .map((text) => text.replace(/,.*/s, "").trim())
    .map((text) => text.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2"));
  // An IPv6 address may have a zone of any length, which means nothing elsewhere.
  return addresses.find((text) => isIP(text) > 0 && !text.includes("%"));
}

/** The addresses of private networks and of a single link, and those of the machine itself (RFC 6890). */
const PRIVATE_ADDRESSES = new BlockList();
for (const [prefix, length] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(prefix, length, isIP(prefix) === 4 ? "ipv4" : "ipv6");
}
