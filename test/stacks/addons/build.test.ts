import { describe, expect, it } from "vitest";
import { beta9 } from "../../../stacks/addons/beta9/addon";
import { buildAddons, type LoadedAddon, mergeOutputs } from "../../../stacks/addons/build";
import { observability } from "../../../stacks/addons/observability/addon";

/** What `buildAddons` reads of an add-on; the rest is not asked for. */
function loaded(key: string, build: LoadedAddon["build"]): LoadedAddon {
  return { key, build } as LoadedAddon;
}

describe("add-ons are built one after the other", () => {
  // Only handed on: what add-ons make of it is theirs.
  const foundation = {} as Parameters<typeof buildAddons>[1] extends (addon: LoadedAddon) => infer Known
    ? Known
    : never;
  const component = { of: "observability" } as unknown as ReturnType<LoadedAddon["build"]>["component"];
  const first = loaded("observability", () => ({ component, stackOutputs: { grafana: "here" } }));
  const asking = loaded("beta9", (known) => {
    expect(known.component(observability)).toBe(component);
    return { component, stackOutputs: { beta9: "there" } };
  });

  it("and each may ask for the component of one before it", () => {
    const { outputs, componentOf } = buildAddons([first, asking], () => foundation);
    expect(outputs).toEqual([{ grafana: "here" }, { beta9: "there" }]);
    expect(componentOf(observability)).toBe(component);
  });

  it("but not of one after it, which is a row in the wrong place", () => {
    expect(() => buildAddons([asking, first], () => foundation)).toThrow(
      "beta9 needs observability, which is built later: move it below observability in the table of add-ons",
    );
  });

  it("and one that is off has no component", () => {
    const alone = loaded("observability", ({ component: of }) => {
      expect(of(beta9)).toBeUndefined();
      return { component };
    });
    const { outputs, componentOf } = buildAddons([alone], () => foundation);
    expect(outputs).toEqual([{}]);
    expect(componentOf(beta9)).toBeUndefined();
  });
});

describe("outputs of a stack", () => {
  it("have one owner each", () => {
    expect(mergeOutputs([{ address: 1 }, { grafana: 2 }])).toEqual({ address: 1, grafana: 2 });
    expect(() => mergeOutputs([{ address: 1 }, { address: 2 }])).toThrow('named "address": give each its own name');
  });
});
