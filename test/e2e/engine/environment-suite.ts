import { describe, expect, it } from "vitest";
import { describeObject } from "../../../kubernetes/object";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import type { EnvironmentName } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { type Operation, operation } from "./operations";
import { filesBelow, generatedPasswords, leaks } from "./secret-search";
import { TestBed } from "./test-bed";

/**
 * Environments on the real engine, each from nothing to nothing.
 *
 * @param kept those that are left as they are, because another one with the same kinds of data is destroyed.
 */
export function deployedEnvironments(names: readonly EnvironmentName[], kept: readonly EnvironmentName[] = []): void {
  describe.each(names)("%s on the real engine and the plan's nodes", { timeout: 300_000 }, (name) => {
    const bed = sharedBySuite(() => TestBed.start(name));
    const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
    const resourceCount = (): number => bed().offline.recording.resources.length;

    it("creates everything; every pod gets ready on the planned nodes", async () => {
      expect((await up()).changes).toEqual({ create: resourceCount() });
      expect(await waitingPods(bed().plane.client)).toEqual([]);
    });

    it("changes nothing when it runs again, and keeps secrets out of the state", async () => {
      expect((await up()).changes).toEqual({ same: resourceCount() });
      const { deployment } = await bed().stack.exportStack();
      const secrets = generatedPasswords(deployment);
      expect(secrets.length).toBeGreaterThan(0);
      expect(leaks(filesBelow(bed().backend), secrets)).toEqual([]);
    });

    if (kept.includes(name)) {
      return;
    }
    it("refuses to be destroyed while its data is protected, and then leaves nothing but that data", async () => {
      const { resources } = bed().offline.recording;
      expect(resources.filter(({ options }) => options.protect).length).toBeGreaterThan(0);
      await expect(bed().stack.destroy()).rejects.toThrow(/protect/);
      await bed().unprotect();
      await bed().stack.destroy();
      expect((await bed().stack.exportStack()).deployment.resources ?? []).toEqual([]);
      const kept = recordedObjects(resources.filter(({ options }) => options.retainOnDelete));
      const left = await Promise.all(recordedObjects(resources).map((object) => bed().plane.client.get(object)));
      expect(left.filter((object) => object !== undefined).map(describeObject)).toEqual(kept.map(describeObject));
    });
  });
}
