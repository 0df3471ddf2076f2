/** What counts as an attempt to reach another machine, on the kernel that is here. */
import { expect, it } from "vitest";
import { withoutRoute } from "./without-route";

/** A network with a machine on it, and what that and this end tried, as counts of both. */
const script = `
const { execFileSync } = require("node:child_process");
const { mkdtempSync, readFileSync } = require("node:fs");
const { PodNetwork } = require("./rehearsal/cluster/kubelet/network");
const { packetsWithoutRoute } = require("./test/e2e/edge/packets-without-route");
(async () => {
  const network = await PodNetwork.start();
  const { pid, holder } = await network.addPod(mkdtempSync("/tmp/without-route-test-") + "/log");
  const inPod = (...words) => execFileSync("nsenter", ["--net=/proc/" + pid + "/ns/net", ...words]);
  inPod("ip", "route", "add", "default", "via", network.address);
  const reach = (host) => "require('node:net').connect(80,'" + host + "').on('error',()=>{});setTimeout(()=>process.exit(),500)";
  const counts = () =>
    ["/proc/net/", "/proc/" + pid + "/net/"].map((at) => packetsWithoutRoute((name) => readFileSync(at + name, "utf8")));
  // Links that come up announce themselves for some seconds.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const found = [counts()];
  for (const host of ["203.0.113.1", "2001:db8::1"]) {
    inPod(process.execPath, "-e", reach(host));
    found.push(counts());
  }
  console.log(JSON.stringify(found));
  await holder.stop();
  await network.stop();
  process.exit(0);
})();
`;

it("counts what is tried by IPv4 and IPv6, and not what links announce when they come up", async () => {
  const run = await withoutRoute(process.execPath, ["--import", "tsx", "-e", script]);
  expect([run.status, run.err]).toEqual([0, ""]);
  const [quiet, byIpv4, byIpv6] = JSON.parse(run.out) as [number, number][];
  expect(quiet).toEqual([0, 0]);
  // By IPv4 it comes by this end; by IPv6 the machine has no way at all.
  expect(byIpv4).toEqual([expect.toSatisfy((count: number) => count > 0), 0]);
  expect(byIpv6?.[1]).toBeGreaterThan(0);
});
