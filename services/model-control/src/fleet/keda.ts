import {
  type ConfigurationOptions,
  CustomObjectsApi,
  type KubeConfig,
  type ObservableMiddleware,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { z } from "zod";
import { call, found } from "./kubernetes-call";
import type { AutoscalerState, AutoscalerWord } from "./scaler";

/**
 * Annotations of a ScaledObject. `paused` stops KEDA's loop, deletes its HorizontalPodAutoscaler,
 * and keeps the replica count; `force-activation` simulates demand (kedacore/keda@v2.21.0
 * controllers/keda/scaledobject_controller.go handlePause,
 * pkg/scaling/executor/scale_scaledobjects.go RequestScale, read 2026-11-23).
 */
const PAUSED = "autoscaling.keda.sh/paused";
const FORCED = "autoscaling.keda.sh/force-activation";
/** Marks annotations of this API; others are left alone. */
const TOLD = "inference-stacks.io/model-control";

const scaledObject = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ minReplicaCount: z.int().default(0) }),
  status: z
    .object({
      lastActiveTime: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .prefault({}),
});
type ScaledObject = z.output<typeof scaledObject>;

/** One ScaledObject. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** ScaledObjects; needs only `get` and `patch` on them by name. */
export class Keda {
  private readonly api: CustomObjectsApi;

  constructor(config: KubeConfig) {
    this.api = config.makeApiClient(CustomObjectsApi);
  }

  /** Undefined if there is no such ScaledObject. */
  async state(place: Place, signal: AbortSignal): Promise<AutoscalerState | undefined> {
    const object = await this.read(place, signal);
    return object && stateOf(object);
  }

  /** No-op if there is no such ScaledObject. */
  async tell(place: Place, word: AutoscalerWord, signal: AbortSignal): Promise<void> {
    const object = await this.read(place, signal);
    const annotations = object === undefined ? {} : annotationsFor(object.metadata.annotations, word);
    if (Object.keys(annotations).length === 0) {
      return;
    }
    const options: ConfigurationOptions<ObservableMiddleware> = setHeaderOptions(
      "Content-Type",
      PatchStrategy.MergePatch,
    );
    await call(`set ${nameOf(place)} to "${word}"`, signal, () =>
      found(this.api.patchNamespacedCustomObject({ ...resource(place), body: { metadata: { annotations } } }, options)),
    );
  }

  private async read(place: Place, signal: AbortSignal): Promise<ScaledObject | undefined> {
    const object: unknown = await call(`read ${nameOf(place)}`, signal, () =>
      found<unknown>(this.api.getNamespacedCustomObject(resource(place))),
    );
    return object === undefined ? undefined : scaledObject.parse(object);
  }
}

function nameOf({ namespace, name }: Place): string {
  return `ScaledObject ${namespace}/${name}`;
}

function resource({ namespace, name }: Place) {
  return { group: "keda.sh", version: "v1alpha1", plural: "scaledobjects", namespace, name };
}

function stateOf({ spec, status }: ScaledObject): AutoscalerState {
  return {
    paused: status.conditions.some(({ type, status: is }) => type === "Paused" && is === "True"),
    sleeps: spec.minReplicaCount === 0,
    lastActive: status.lastActiveTime,
  };
}

/**
 * Annotation changes, null to remove. Never adopts or removes a pause or activation set by others.
 */
export function annotationsFor(
  now: Readonly<Record<string, string>>,
  word: AutoscalerWord,
): Readonly<Record<string, string | null>> {
  const told = now[TOLD];
  const ours = { stopped: PAUSED, wanted: FORCED } as const;
  const taken: Record<string, string | null> =
    told === "stopped" || told === "wanted" ? { [ours[told]]: null, [TOLD]: null } : {};
  if (word === "free" || word === told) {
    return word === told ? {} : taken;
  }
  const set = ours[word];
  return isSet(now[set]) ? taken : { ...taken, [set]: "true", [TOLD]: word };
}

/** KEDA's parsing: any value that is not false counts as true. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !["0", "f", "F", "false", "False", "FALSE"].includes(value);
}
