import type * as pulumi from "@pulumi/pulumi";
import type { ActiveAddon } from "./addon";
import type { Buildable, Built, Foundation, StackOutputs } from "./contract";

/** An add-on with its resource half loaded. */
export interface LoadedAddon extends ActiveAddon {
  readonly build: (known: Foundation) => Built<pulumi.ComponentResource>;
}

export interface BuiltAddons {
  /** Additions to the stack's outputs. */
  readonly outputs: readonly StackOutputs[];
  /** For dependencies; `undefined` where the add-on is off. */
  readonly componentOf: (addon: Pick<LoadedAddon, "key">) => pulumi.ComponentResource | undefined;
}

export function loadAddons(addons: readonly ActiveAddon[]): Promise<LoadedAddon[]> {
  return Promise.all(addons.map(async (addon) => ({ ...addon, build: await addon.loadBuild() })));
}

/**
 * In order; each can use the components of those before it.
 *
 * @param foundationOf base of an add-on, besides other add-ons.
 * @throws Error when an add-on asks for one that comes later.
 */
export function buildAddons(
  addons: readonly LoadedAddon[],
  foundationOf: (addon: LoadedAddon) => Omit<Foundation, "component">,
): BuiltAddons {
  const components = new Map<string, pulumi.ComponentResource>();
  const outputs = addons.map((addon) => {
    const component = <Component>({ key }: Buildable<Component>): Component | undefined => {
      if (!components.has(key) && addons.some((other) => other.key === key)) {
        throw new Error(
          `${addon.key} needs ${key}, which is built later: move it below ${key} in the table of add-ons`,
        );
      }
      // Each key has its own build's component.
      return components.get(key) as Component | undefined;
    };
    const built = addon.build({ ...foundationOf(addon), component });
    components.set(addon.key, built.component);
    return built.stackOutputs ?? {};
  });
  return { outputs, componentOf: ({ key }) => components.get(key) };
}

/** @throws Error when two have one name: one would hide the other. */
export function mergeOutputs(parts: readonly StackOutputs[]): StackOutputs {
  const names = parts.flatMap((part) => Object.keys(part));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new Error(`two outputs of the stack are named "${twice}": give each its own name`);
  }
  return Object.assign({}, ...parts);
}
