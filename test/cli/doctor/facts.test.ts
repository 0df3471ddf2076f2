/** Objects as API servers write them: what is left out, and what some write as null. */
import { describe, expect, it } from "vitest";
import { apiService, node, pod, storageClass } from "../../../cli/doctor/facts";

const metadata = { name: "a" };
const condition = (type: string, status: string) => ({
  metadata,
  spec: {},
  status: { conditions: [{ type, status }] },
});

describe("a node", () => {
  it.each([
    [{ unschedulable: true }, true],
    [{ unschedulable: false }, false],
    [{ unschedulable: null }, false],
    [{}, false],
    [null, false],
    [undefined, false],
  ])("with the spec %j is cordoned: %s", (spec, cordoned) => {
    expect(node.parse({ metadata, spec }).unschedulable).toBe(cordoned);
  });
});

describe("readiness", () => {
  it.each([
    ["Ready", "True", true],
    ["Ready", "False", false],
    ["Ready", "Unknown", false],
    ["MemoryPressure", "True", false],
  ])("of a node or pod whose condition %s is %s: %s", (type, status, ready) => {
    expect([node, pod].map((kind) => kind.parse(condition(type, status)).ready)).toEqual([ready, ready]);
  });

  it.each([
    ["Available", "True", true],
    ["Available", "False", false],
    ["Degraded", "True", false],
  ])("of an API whose condition %s is %s: %s", (type, status, available) => {
    expect(apiService.parse(condition(type, status)).available).toBe(available);
  });
});

describe("a storage class", () => {
  it.each([
    [{ allowVolumeExpansion: true }, true],
    [{ allowVolumeExpansion: false }, false],
    [{ allowVolumeExpansion: null }, false],
    [{}, false],
  ])("with %j lets volumes grow: %s", (fields, grows) => {
    expect(storageClass.parse({ metadata, provisioner: "p", ...fields }).grows).toBe(grows);
  });

  it.each([
    [{ "storageclass.kubernetes.io/is-default-class": "true" }, true],
    [{ "storageclass.beta.kubernetes.io/is-default-class": "true" }, true],
    [{ "storageclass.kubernetes.io/is-default-class": "false" }, false],
    [null, false],
  ])("with the annotations %j is the default: %s", (annotations, isDefault) => {
    const read = storageClass.parse({ metadata: { ...metadata, annotations }, provisioner: "p" });
    expect(read.isDefault).toBe(isDefault);
  });
});
