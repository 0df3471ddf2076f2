import { type Check, failed, judged, passed, unknown } from "./check";

/** Engines, proxies and probes use IPv4. DNS pods show what pods get. */
export const podAddresses: Check = ({ dnsPods }) => [
  judged(
    {
      check: "pod-addresses",
      title: "Addresses of pods",
      needed: "an IPv4 address for each pod, the first of its own",
    },
    dnsPods,
    (pods) => {
      const [first] = pods.flatMap(({ ips = [] }) => ips);
      if (first === undefined) {
        return unknown("no DNS pod has an address yet");
      }
      return first.includes(":")
        ? failed(
            `pods get IPv6 addresses (${first}); the platform's servers listen on IPv4, so that every probe would fail`,
            "take a cluster whose pods have IPv4 addresses first: IPv4, or dual-stack with IPv4 as its first family",
          )
        : passed("IPv4");
    },
  ),
];
