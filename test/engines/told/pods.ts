import type { RecordedResource } from "../../harness/deploy";

/** The container of an engine, as far as readers look at it. */
export interface EngineContainer {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
}

/** Containers of that name, initial ones too, in every pod template among the objects, wherever their controllers keep them. */
export function containersNamed(name: string, objects: readonly RecordedResource[]): EngineContainer[] {
  const found = objects.flatMap(({ inputs }) => containersIn(inputs)).filter((each) => each.name === name);
  if (found.length === 0) {
    throw new Error(`no pod among ${objects.map(({ type }) => type).join(", ")} has a container "${name}"`);
  }
  return found;
}

function containersIn(value: unknown): EngineContainer[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    /^(initC|c)ontainers$/.test(key) && Array.isArray(inner) ? (inner as EngineContainer[]) : containersIn(inner),
  );
}

/** Values of `--flag=value` words. */
export function flagsOf({ args = [] }: EngineContainer): ReadonlyMap<string, string> {
  return new Map(
    args.flatMap((word): [string, string][] => {
      const [, flag, value] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
      return flag === undefined || value === undefined ? [] : [[flag, value]];
    }),
  );
}

export function variablesOf({ env = [] }: EngineContainer): ReadonlyMap<string, string> {
  return new Map(env.flatMap(({ name, value }): [string, string][] => (value === undefined ? [] : [[name, value]])));
}

/** GPUs that a container gets, of whatever vendor. */
export function gpusOf({ resources }: EngineContainer): number {
  return Number(resources.limits["nvidia.com/gpu"] ?? resources.limits["amd.com/gpu"] ?? 0);
}

/** Version in an image's tag. */
export function versionOf({ image }: EngineContainer): string {
  return /:[^@]*?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? image;
}

/** A flag's number; undefined where it is left out. */
export function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
