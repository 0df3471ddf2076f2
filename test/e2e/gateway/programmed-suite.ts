import { afterAll, describe, expect, it } from "vitest";
import { describeObject, groupOf } from "../../../kubernetes/object";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { isComplaint } from "../../../rehearsal/cluster/gateway/conditions";
import { GATEWAY_GROUPS } from "../../../rehearsal/cluster/gateway/objects";
import { rejectedResources } from "../../../rehearsal/cluster/gateway/rejected";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type EnvironmentName, programRun } from "../../stacks/run";

/** Kinds that say nothing of themselves: what they are attached to says it. */
const SILENT = ["EnvoyProxy", "GatewayConfig", "HTTPRouteFilter", "ReferenceGrant"];

/** Waypoints are Gateways of another class: istiod's, which does not run here. Envoy Gateway must leave them alone. */
const isForeign = (described: string) =>
  described.startsWith("Gateway ") && !described.startsWith(`Gateway ${GATEWAY_NAMESPACE}/`);

/** A stand starts in ten seconds where nothing else runs, and in more than a minute beside others. */
const TIMEOUT_MS = 240_000;

/** Must hold for every environment: the real controllers take all that we render, and a real Envoy takes all they make. */
export function programmedGateways(names: readonly EnvironmentName[]): void {
  describe.each(names)("the gateway of %s", (name) => {
    let stand: GatewayStand | undefined;
    afterAll(() => stand?.stop());

    it("is programmed as it is rendered, and Envoy acknowledges all of it", { timeout: TIMEOUT_MS }, async () => {
      const { resources } = await programRun(name);
      stand = await GatewayStand.start(resources);
      const running = stand;
      const rendered = running.objects
        .filter(({ apiVersion, kind }) => GATEWAY_GROUPS.includes(groupOf(apiVersion)) && !SILENT.includes(kind))
        .map(describeObject)
        .filter((object) => !isForeign(object));

      // Controllers need a moment for what the proxy's readiness changes.
      const complaints = async () => {
        const all = await running.conditions();
        const conditions = all.filter(({ object }) => !isForeign(object));
        const taken = all.filter((each) => isForeign(each.object) && each.status !== "Unknown");
        const spoken = new Set(conditions.map(({ object }) => object));
        const silent = rendered.filter((object) => !spoken.has(object)).map((object) => `${object}: no condition`);
        const bad = [...conditions.filter(isComplaint), ...taken];
        return [...silent, ...bad.map(({ object, of, ...rest }) => `${object} ${of} ${Object.values(rest).join(" ")}`)];
      };
      await waitFor("all conditions", async () => ((await complaints()).length === 0 ? true : undefined), 30).catch(
        () => undefined,
      );
      expect(await complaints()).toEqual([]);

      const said = (await running.conditions()).map(({ object, type }) => `${object.split(" ")[0]} ${type}`);
      expect(said).toEqual(
        expect.arrayContaining(["Gateway Programmed", "Gateway Accepted", "HTTPRoute ResolvedRefs"]),
      );

      const [proxy] = running.proxies;
      if (proxy === undefined) {
        throw new Error("no proxy");
      }
      expect(await rejectedResources(proxy)).toEqual([]);
      const stats = await proxy.stats(
        "update_(rejected|success)$|lds.update_rejected|listener_manager.lds.update_success",
      );
      const total = (suffix: string) =>
        [...stats].filter(([stat]) => stat.endsWith(suffix)).reduce((sum, [, value]) => sum + value, 0);
      expect(total("update_rejected")).toBe(0);
      expect(total("update_success")).toBeGreaterThan(3);
    });
  });
}
