import { describe } from "vitest";
import { protectedStateful } from "../../../policies/rules/protected-stateful";
import { type Case, object, plan, policyCases, resource, UNKNOWN, workload } from "../cases";

const bucket = (protect: boolean) => resource("oci:ObjectStorage/bucket:Bucket", { name: "models" }, { protect });
const claims = workload("apps/v1", "StatefulSet", { volumeClaimTemplates: [{ metadata: { name: "data" } }] });
const cache = workload("apps/v1", "StatefulSet", {
  persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
  volumeClaimTemplates: [{ metadata: { name: "data" } }],
});
const development = plan({ stage: "development" });

policyCases(protectedStateful, [
  ["protected", [plan(), bucket(true)], "pass"],
  ["in development", [development, bucket(false)], "pass"],
  ["a StatefulSet without volumes", [workload("apps/v1", "StatefulSet", {})], "pass"],
  ["a Deployment", [workload("apps/v1", "Deployment", {})], "pass"],
  ["a bucket", [plan(), bucket(false)], ['oci:ObjectStorage/bucket:Bucket "subject": option protect is false']],
  [
    "a key",
    [plan(), resource("aws:kms/key:Key", {})],
    ["option protect is false; allowed: true, for what holds data in production"],
  ],
  ["a volume claim", [plan(), object("core/v1", "PersistentVolumeClaim", {})], ["option protect is false"]],
  [
    "a claim of a folder that it can only read",
    [plan(), object("core/v1", "PersistentVolumeClaim", { spec: { accessModes: ["ReadOnlyMany"] } })],
    "pass",
  ],
  [
    "a claim that can be read and written",
    [plan(), object("core/v1", "PersistentVolumeClaim", { spec: { accessModes: ["ReadOnlyMany", "ReadWriteOnce"] } })],
    ["option protect is false"],
  ],
  ["a StatefulSet with volumes", [plan(), claims], ['StatefulSet "model-chat/chat"']],
  ["a cache, whose claims go with their set", [plan(), cache], "pass"],
  ["strict without a plan", [claims], ["option protect is false"]],
  ["unknown volumes", [plan(), workload("apps/v1", "StatefulSet", { volumeClaimTemplates: UNKNOWN })], "unknown"],
]);

describe("configuration wins over the plan", () => {
  const cases: Case[] = [["production by configuration", [development, bucket(false)], ["option protect is false"]]];
  policyCases(protectedStateful, cases, { stage: "production" });
});
