import { describe, expect, it } from "vitest";
import { dnsCache } from "../../../cli/doctor/checks/dns";
import { FORBIDDEN, facts, known, needs, only, workload } from "./made-up";

const cache = (...words: string[]) => known([workload("registry.k8s.io/dns/k8s-dns-node-cache:1.26.7", { words })]);
const judged = (words: readonly string[], dnsCidrs: string[] = []) => {
  const { cluster } = needs();
  return only(dnsCache, facts({ daemonSets: cache(...words) }), needs({ cluster: { ...cluster, dnsCidrs } }));
};

describe("a cache of DNS on every node", () => {
  it.each<[string, string[], string[], string]>([
    ["of Kubernetes' manifest", ["/node-cache", "-localip", "169.254.20.10", "-conf", "/etc/Corefile"], [], "passed"],
    ["of Kubespray", ["-localip", "169.254.25.10"], [], "passed"],
    ["at the Service's address too", ["-localip=169.254.20.10,10.96.0.10"], [], "warning"],
    ["at the Service's address alone", ["-localip", "10.96.0.10"], [], "failed"],
    ["at one that the file names", ["-localip", "169.254.20.10,10.96.0.10"], ["10.96.0.10/32"], "passed"],
    ["in a network that the file names", ["--localip", "fd00::a"], ["fd00::/64"], "passed"],
    ["of IPv6", ["-localip", "fd00::a"], [], "failed"],
  ])("%s", (_, words, cidrs, status) => {
    expect(judged(words, cidrs).status).toBe(status);
  });

  it("is mended by the line that the check prints", () => {
    const { remedies } = judged(["-localip", "169.254.20.10,10.96.0.10,fd00::a"]);
    expect(remedies.join()).toContain("dnsCidrs: [10.96.0.10/32, fd00::a/128]");
  });

  it("is not looked for where there is none, and unknown where the list is forbidden", () => {
    expect(dnsCache(facts({ daemonSets: known([workload("calico/node:v3.32.2")]) }), needs())).toEqual([]);
    expect(only(dnsCache, facts({ daemonSets: FORBIDDEN })).status).toBe("unknown");
  });
});
