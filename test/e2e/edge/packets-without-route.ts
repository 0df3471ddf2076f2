/**
 * Packets that the kernel of a network namespace had no route for: its own (`OutNoRoutes`), and of what came from others to be
 * passed on, `InNoRoutes` where it passes things on and `InAddrErrors` where it does not. They count from when it was made.
 *
 * Of IPv6 its own alone: what comes in over links without a router is of the link itself. Kernels send reports of multicast
 * listeners and neighbour discovery (ff02::16, ff02::1:ff…) as soon as a link is up, and this end has no address for them yet.
 *
 * @param read a file of `/proc/<pid>/net`: `snmp`, `snmp6`, `netstat`.
 * @throws Error that names a counter which this kernel has not.
 */
export function packetsWithoutRoute(read: (name: string) => string): number {
  return (
    counter(read("snmp"), "Ip", "OutNoRoutes") +
    counter(read("snmp"), "Ip", "InAddrErrors") +
    counter(read("netstat"), "IpExt", "InNoRoutes") +
    counterOfIpv6(read("snmp6"), "Ip6OutNoRoutes")
  );
}

/** Of a file with a line of names above each line of values. */
function counter(text: string, group: string, name: string): number {
  const [names = "", values = ""] = text.split("\n").filter((line) => line.startsWith(`${group}: `));
  return known(values.split(" ")[names.split(" ").indexOf(name)], name);
}

/** Of a file with a name and its value on each line; it is empty where there is no IPv6. */
function counterOfIpv6(text: string, name: string): number {
  return text.trim() === "" ? 0 : known(new RegExp(`^${name}\\s+(\\d+)$`, "m").exec(text)?.[1], name);
}

function known(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d+$/.test(text)) {
    throw new Error(`the kernel counts no ${name} here`);
  }
  return Number(text);
}
