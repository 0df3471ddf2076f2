import * as pulumi from "@pulumi/pulumi";
import { defaultAnswers, type ProviderAnswers } from "./answers";
import { FirstPreview } from "./first-preview";
import { withLeanRuntime } from "./lean-runtime";
import { type ResourceKey, useMocks } from "./monitor";

import { Turns } from "./turns";

export interface RecordedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** URN of the parent; undefined for the stack. */
  readonly parent: string | undefined;
  readonly custom: boolean;
  /** Resolved inputs with plaintext secrets, listed in `secretInputs`. Empty for components. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Top-level inputs that are or contain a secret. */
  readonly secretInputs: readonly string[];
  /** Reference (`urn::id`) of an explicit provider. */
  readonly provider: string | undefined;
  /** URNs in its `dependsOn`; its ancestors' apply too. */
  readonly dependsOn: readonly string[];
  /**
   * URNs of custom resources that the engine finishes first: from `dependsOn`, including children
   * of components, and from inputs. Its parent and that one's dependencies also come first.
   */
  readonly waitsFor: readonly string[];
  /** Source resources' URNs by computed input. */
  readonly origins: Readonly<Record<string, readonly string[]>>;
  readonly options: RecordedOptions;
}

export interface RecordedOptions {
  readonly protect: boolean;
  readonly retainOnDelete: boolean;
  readonly deleteBeforeReplace: boolean;
  readonly ignoreChanges: readonly string[];
  readonly replaceOnChanges?: readonly string[];
}

export interface Recording {
  readonly resources: readonly RecordedResource[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface OfflineOptions {
  readonly project: string;
  readonly stack: string;
  /** Values by full key (`project:key`), as in `Pulumi.<stack>.yaml`; objects as JSON text. */
  readonly config?: Readonly<Record<string, string>>;
  /** Full keys of secret values. */
  readonly secretKeys?: readonly string[];
  /**
   * Simulates the first preview (first-preview.ts): ids and cloud-generated values are unknown.
   * @default false
   */
  readonly preview?: boolean;
  /** Provider answers. @default `defaultAnswers` */
  readonly answers?: ProviderAnswers;
  /**
   * Timeout after the program returns, in milliseconds since the last answered registration.
   * @default 60000
   */
  readonly drainTimeoutMs?: number;
  readonly onResource?: (count: number) => void;
}

/** The program left unsettled promises: an input never resolves. */
export class UnsettledProgramError extends Error {}

/** Two resources share type and name, which the engine refuses, but mocks accept. */
export class DuplicateResourceError extends Error {}

interface Answered {
  readonly inputs: Record<string, unknown>;
  readonly secretInputs: string[];
  readonly provider: string | undefined;
  /** Keys of resources. */
  readonly waitsFor: readonly string[];
  readonly origins: Readonly<Record<string, readonly string[]>>;
}

interface Registration {
  readonly resource: pulumi.Resource;
  readonly type: string;
  readonly name: string;
  readonly parent: pulumi.Resource | undefined;
  readonly opts: pulumi.ResourceOptions;
}

/**
 * Runs a Pulumi program in this process with recorded providers: no engine, cluster or credentials.
 * Runs are sequential: the Pulumi runtime keeps state in globals.
 *
 * @throws the program's error, `DuplicateResourceError`, or `UnsettledProgramError`.
 */
export function runOffline(program: () => unknown, options: OfflineOptions): Promise<Recording> {
  return withLeanRuntime(() => record(program, options));
}

async function record(program: () => unknown, options: OfflineOptions): Promise<Recording> {
  const answers = options.answers ?? defaultAnswers;
  const answered = new Map<string, Answered>();
  const registrations: Registration[] = [];
  const turns = new Turns();
  const preview = options.preview ? new FirstPreview() : undefined;
  const patience = new Patience(options.drainTimeoutMs ?? 60_000);

  await useMocks(
    {
      call: (args) => answers.call(args.token, args.inputs),
      newResource: (args) => {
        const { inputs, secretInputs } = unwrap(args.inputs as Record<string, unknown>);
        const { provider = "" } = args;
        answered.set(key(args), {
          inputs,
          secretInputs,
          provider: provider || undefined,
          waitsFor: args.waitsFor.map(key),
          origins: mapValues(args.origins, (keys) => keys.map(key)),
        });
        patience.renew();
        options.onResource?.(answered.size);
        if (!args.custom) {
          return { id: undefined, state: {} };
        }
        const state = answers.state(args.type, args.name, inputs);
        const { type, name } = args;
        return preview
          ? { id: undefined, state: preview.outputsOf({ type, name, provider }, inputs, state) }
          : { id: answers.id(type, name), state };
      },
    },
    options.project,
    options.stack,
    options.preview ?? false,
  );
  pulumi.runtime.setAllConfig({ ...options.config }, [...(options.secretKeys ?? [])]);

  let failure: { readonly error: unknown } | undefined;
  const outputs = await pulumi.runtime.runInPulumiStack(async () => {
    pulumi.runtime.registerStackTransformation(({ resource, type, name, props, opts }) => {
      registrations.push({ resource, type, name, parent: opts.parent, opts });
      // The runtime reads this option first, before serialization.
      const dependsOn = turns.next().then(() => resourcesIn(opts.dependsOn));
      // Aliases only affect state, but take more than half of a program's outputs.
      return { props, opts: { ...opts, dependsOn, aliases: [] } };
    });
    try {
      return (await program()) as Record<string, unknown>;
    } catch (error) {
      // Deferred: earlier registrations must settle, or would affect the next run.
      failure = { error };
      return {};
    }
  });
  const dependencies = new Map<pulumi.Resource, readonly pulumi.Resource[]>();
  const drained = pulumi.runtime.disconnect().then(async () => {
    for (const { resource, opts } of registrations) {
      dependencies.set(resource, await resourcesIn(opts.dependsOn));
    }
  });
  const settled = patience.until(drained, () => unanswered(registrations, answered));
  await settled.catch((error: unknown) => {
    failure ??= { error };
  });
  if (failure) {
    throw failure.error;
  }

  return { resources: assemble(options, registrations, answered, dependencies), outputs: outputs ?? {} };
}

/** Resources of an option, unwrapped from inputs. */
async function resourcesIn(value: unknown): Promise<pulumi.Resource[]> {
  const open: unknown = pulumi.Output.isInstance(value)
    ? await new Promise((resolve) => value.apply(resolve))
    : await value;
  if (Array.isArray(open)) {
    return (await Promise.all(open.map(resourcesIn))).flat();
  }
  return pulumi.Resource.isInstance(open) ? [open] : [];
}

function assemble(
  { project, stack }: OfflineOptions,
  registrations: readonly Registration[],
  answered: ReadonlyMap<string, Answered>,
  dependencies: ReadonlyMap<pulumi.Resource, readonly pulumi.Resource[]>,
): RecordedResource[] {
  const rootType = "pulumi:pulumi:Stack";
  const rootName = `${project}-${stack}`;
  const urnOf = (types: string, name: string) => `urn:pulumi:${stack}::${project}::${types}::${name}`;
  const root: RecordedResource = {
    urn: urnOf(rootType, rootName),
    type: rootType,
    name: rootName,
    parent: undefined,
    custom: false,
    inputs: {},
    secretInputs: [],
    provider: undefined,
    dependsOn: [],
    waitsFor: [],
    origins: {},
    options: { protect: false, retainOnDelete: false, deleteBeforeReplace: false, ignoreChanges: [] },
  };
  // Qualified type per resource: types of its ancestors, without the stack, joined by "$".
  const known = new Map<pulumi.Resource, { qualified: string; urn: string; protect: boolean; retain: boolean }>();
  const urns = new Map<string, string>();
  const resources: RecordedResource[] = [root];
  for (const { resource, type, name, parent, opts } of registrations) {
    if (urns.has(key({ type, name }))) {
      throw new DuplicateResourceError(`two resources of type ${type} are named "${name}"`);
    }
    const above = parent ? known.get(parent) : undefined;
    const qualified = above ? `${above.qualified}$${type}` : type;
    const urn = urnOf(qualified, name);
    urns.set(key({ type, name }), urn);
    const protect = opts.protect ?? above?.protect ?? false;
    const retain = opts.retainOnDelete ?? above?.retain ?? false;
    known.set(resource, { qualified, urn, protect, retain });
    const answer = answered.get(key({ type, name }));
    const custom = pulumi.CustomResource.isInstance(resource);
    resources.push({
      urn,
      type,
      name,
      parent: above?.urn ?? root.urn,
      custom,
      inputs: custom ? (answer?.inputs ?? {}) : {},
      secretInputs: answer?.secretInputs ?? [],
      provider: answer?.provider,
      // Dependencies are constructed first, so their URNs are known.
      dependsOn: (dependencies.get(resource) ?? []).flatMap((needed) => known.get(needed)?.urn ?? []),
      waitsFor: answer?.waitsFor ?? [],
      origins: answer?.origins ?? {},
      options: {
        protect,
        retainOnDelete: retain,
        deleteBeforeReplace: (opts as pulumi.CustomResourceOptions).deleteBeforeReplace ?? false,
        ignoreChanges: opts.ignoreChanges ?? [],
        ...(opts.replaceOnChanges && { replaceOnChanges: opts.replaceOnChanges }),
      },
    });
  }
  const named = (keys: readonly string[]) => keys.flatMap((found) => urns.get(found) ?? []);
  return resources.map((resource) => ({
    ...resource,
    waitsFor: named(resource.waitsFor),
    origins: mapValues(resource.origins, named),
  }));
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function key({ type, name }: ResourceKey): string {
  return `${type}::${name}`;
}

/** Unsettled registrations to list: the first ones block the others. */
const LISTED = 20;

function unanswered(registrations: readonly Registration[], answered: ReadonlyMap<string, unknown>): string {
  const waiting = registrations
    .filter(({ type, name }) => !answered.has(key({ type, name })))
    .map(({ type, name }) => `${type} "${name}"`);
  const listed = waiting.slice(0, LISTED).join(", ") || "an output outside any resource";
  const more = waiting.length > LISTED ? ` and ${waiting.length - LISTED} more` : "";
  return `the program never settled; still waiting for the inputs of: ${listed}${more}`;
}

/** Waits for work with an inactivity timeout. */
class Patience {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** Reports activity. */
  renew(): void {
    this.timer?.refresh();
  }

  /** @throws UnsettledProgramError with the text of `describe`, or the work's error. */
  async until(work: Promise<void>, describe: () => string): Promise<void> {
    const limit = new Promise<never>((_, reject) => {
      this.timer = setTimeout(() => reject(new UnsettledProgramError(describe())), this.milliseconds);
    });
    try {
      await Promise.race([work, limit]);
    } finally {
      clearTimeout(this.timer);
    }
  }
}

/** The Pulumi protocol's marker of secrets in serialized properties. */
const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** Sorts keys, as engine messages do, so that outputs do not depend on a file's section order. */
function unwrap(serialized: Record<string, unknown>): { inputs: Record<string, unknown>; secretInputs: string[] } {
  const secretInputs: string[] = [];
  const inputs: Record<string, unknown> = {};
  for (const property of Object.keys(serialized).sort()) {
    const found = { secret: false };
    inputs[property] = strip(serialized[property], found);
    if (found.secret) {
      secretInputs.push(property);
    }
  }
  return { inputs, secretInputs };
}

function strip(value: unknown, found: { secret: boolean }): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => strip(item, found));
  }
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  const record = value as Record<string, unknown>;
  if (record[SIGNATURE_KEY] === SECRET_SIGNATURE) {
    found.secret = true;
    return strip(record.value, found);
  }
  const keys = Object.keys(record).sort();
  return Object.fromEntries(keys.map((key) => [key, strip(record[key], found)]));
}
