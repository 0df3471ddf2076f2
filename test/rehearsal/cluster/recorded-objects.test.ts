import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { storageClassesOf } from "../../../rehearsal/cluster/recorded-objects";

type Claimed = string | undefined;

const claim = (storageClassName: Claimed): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], ...(storageClassName !== undefined && { storageClassName }) },
});

const statefulSet = (names: readonly Claimed[]): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "store" },
  spec: { volumeClaimTemplates: names.map(claim) },
});

describe("storage classes that claims name", () => {
  // A claim that names the class "" is of a volume that somebody made; one that names none is of the default class.
  const claimed = fc.array(fc.constantFrom<Claimed>("local-path", "encrypted", "", undefined), { maxLength: 6 });

  it("are those of claims and of templates of claims, each once, and never one without a name", () => {
    fc.assert(
      fc.property(claimed, claimed, (single, templates) => {
        const found = storageClassesOf([...single.map(claim), statefulSet(templates)]);
        const named = [...single, ...templates].filter((name) => name === "local-path" || name === "encrypted");
        expect([...found].sort()).toEqual([...new Set(named)].sort());
      }),
    );
  });
});
