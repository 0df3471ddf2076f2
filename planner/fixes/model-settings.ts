import { engineOf, modelEngineVersion, settingPath } from "../../engines";
import { withinEngine } from "../at-once";
import type { ModelRequest, PlanRequest } from "../request";
import { SCALED_BY_DEFAULT } from "../scaling";
import { LEVEL_TIMES } from "../service-level";
import type { FixValue } from "../types";
import { onAnotherEngine } from "./other-engine";
import { type Setting, withModel } from "./setting";

/** Changes by which a model needs less or has more room; for a canary, its own settings. */
export function modelSettings(request: PlanRequest, model: ModelRequest): Setting[] {
  if (model.revisionOf) {
    return [...fewerReplicas(request, model), ...inFewerBits(request, model, false)].filter((s) => s !== undefined);
  }
  const { contextTokens, maxNumSeqs = 0, serverOf, derived = [] } = model;
  const { concurrency } = withinEngine(model);
  // People write contexts in thousands: 16384, not 15873.
  const step = contextTokens > 1024 ? 1024 : 128;
  const settings: (Setting | undefined)[] = [
    // A derived value is no setting of the file.
    ...(serverOf === undefined && !derived.includes("concurrency")
      ? [
          setting(request, model, "concurrency", concurrency, concurrency - 1, (i) => {
            const to = concurrency - 1 - i;
            return { to, change: { concurrency: to } };
          }),
        ]
      : serverOf === undefined
        ? []
        : [onItsOwnServer(request, model, serverOf)]),
    setting(request, model, "contextTokens", contextTokens, Math.ceil(contextTokens / step) - 1, (i) => {
      const to = (Math.ceil(contextTokens / step) - 1 - i) * step;
      return { to, change: { contextTokens: to } };
    }),
    setting(request, model, "maxNumSeqs", maxNumSeqs, maxNumSeqs - concurrency, (i) => {
      const to = maxNumSeqs - 1 - i;
      return { to, change: { maxNumSeqs: to } };
    }),
    ...(serverOf === undefined
      ? [...fewerReplicas(request, model), fewerSpare(request, model), ...fewerScheduled(request, model)]
      : []),
    ...inFewerBits(request, model, true),
    ...(serverOf === undefined ? onAnotherPool(request, model) : []),
    ...unpinned(request, model),
    ...(serverOf === undefined ? slowerLevel(request, model) : []),
    ...onThePinnedVersion(request, model),
    ...onAnotherEngine(request, model),
  ];
  return settings.filter((s) => s !== undefined);
}

interface ModelChange {
  readonly to: FixValue;
  readonly change: Partial<ModelRequest>;
}

/** On an own server it takes nothing from the others. */
function onItsOwnServer(request: PlanRequest, model: ModelRequest, host: string): Setting {
  const { serverOf: _, ...own } = model;
  return {
    path: `models.${model.name}.${settingPath(model.engine, "serverOf")}`,
    from: host,
    count: 1,
    at: () => ({ to: null, request: { ...request, models: request.models.map((m) => (m === model ? own : m)) } }),
  };
}

/** Undefined without another value. */
export function setting(
  request: PlanRequest,
  { name, engine }: ModelRequest,
  key: string,
  from: FixValue,
  count: number,
  at: (index: number) => ModelChange,
): Setting | undefined {
  const applied = (index: number) => {
    const { to, change } = at(index);
    return { to, request: withModel(request, name, change) };
  };
  return count > 0 ? { path: `models.${name}.${settingPath(engine, key)}`, from, count, at: applied } : undefined;
}

export function single(request: PlanRequest, model: ModelRequest, key: string, from: FixValue, change: ModelChange) {
  return setting(request, model, key, from, 1, () => change);
}

/** Replicas of schedules and spares above `min`; at least one more than `min` with autoscaling. */
function leastMaximum({ minReplicas, scaling }: ModelRequest): number {
  const { schedule = [], spareReplicas = 0 } = scaling ?? {};
  const scaled = scaling === undefined || scaling === SCALED_BY_DEFAULT ? 0 : minReplicas + 1;
  return Math.max(1, minReplicas + spareReplicas, scaled, ...schedule.map(({ replicas }) => replicas));
}

/** A lower minimum or maximum; both where the configuration has one number. */
function fewerReplicas(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { minReplicas, maxReplicas, derived = [] } = model;
  // Pods of several kinds are counted in the engine's block, which excludes replicas.
  if (derived.includes("replicas") || engineOf(model.engine).answering?.(model) !== undefined) {
    return [];
  }
  if (minReplicas === maxReplicas) {
    return [
      setting(request, model, "replicas", minReplicas, minReplicas - 1, (i) => {
        const to = minReplicas - 1 - i;
        return { to, change: { minReplicas: to, maxReplicas: to } };
      }),
    ];
  }
  return [
    setting(request, model, "replicas.min", minReplicas, minReplicas - 1, (i) => {
      const to = minReplicas - 1 - i;
      return { to, change: { minReplicas: to } };
    }),
    setting(request, model, "replicas.max", maxReplicas, maxReplicas - leastMaximum(model), (i) => {
      const to = maxReplicas - 1 - i;
      return { to, change: { maxReplicas: to } };
    }),
  ];
}

function fewerSpare(request: PlanRequest, model: ModelRequest): Setting | undefined {
  const { scaling } = model;
  const { spareReplicas = 0 } = scaling ?? {};
  return setting(request, model, "scaling.spareReplicas", spareReplicas, spareReplicas, (i) => {
    const to = spareReplicas - 1 - i;
    return { to, change: scaling ? { scaling: { ...scaling, spareReplicas: to } } : {} };
  });
}

/** Fewer replicas in a window while above the usual number; finally no window. */
function fewerScheduled(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { scaling, minReplicas } = model;
  return (scaling?.schedule ?? []).flatMap((window, index, schedule) => {
    const path = `scaling.schedule[${index}]`;
    const withWindow = (changed: typeof schedule) => (scaling ? { scaling: { ...scaling, schedule: changed } } : {});
    return [
      setting(request, model, `${path}.replicas`, window.replicas, window.replicas - minReplicas - 1, (i) => {
        const to = window.replicas - 1 - i;
        return { to, change: withWindow(schedule.with(index, { ...window, replicas: to })) };
      }),
      single(request, model, path, `"${window.from}" to "${window.to}"`, {
        to: null,
        change: withWindow(schedule.toSpliced(index, 1)),
      }),
    ];
  });
}

/** Weights or cache in fewer bits, quantized by the engine; the plan checks the cards. */
function inFewerBits(request: PlanRequest, model: ModelRequest, withCache: boolean): (Setting | undefined)[] {
  const { quantization, kvCacheDtype } = engineOf(model.engine).savings?.(model) ?? {};
  return [
    quantization === undefined
      ? undefined
      : single(request, model, "quantization", model.quantization ?? null, {
          to: quantization,
          change: { quantization },
        }),
    kvCacheDtype === undefined || !withCache
      ? undefined
      : single(request, model, "kvCacheDtype", model.kvCacheDtype, { to: kvCacheDtype, change: { kvCacheDtype } }),
  ];
}

/** A pool that the model may not use yet. */
function onAnotherPool(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { pools: named } = model;
  if (!named) {
    return [];
  }
  return request.pools
    .filter((pool) => pool.role !== "system" && !named.includes(pool.name))
    .map((pool) => {
      const pools = [...named, pool.name];
      return single(request, model, "pools", named, { to: pools, change: { pools } });
    });
}

/** A larger factor is another service. */
const LONGEST = 30;
const TIME_STEP = 1.1;

/** The pinned version in place of one in the file; canaries and own images keep theirs. */
function onThePinnedVersion(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const engineVersion = modelEngineVersion(model);
  const hasCanary = request.models.some(({ revisionOf }) => revisionOf?.model === model.name);
  return engineVersion === model.engineVersion || hasCanary || model.image
    ? []
    : [single(request, model, "engineVersion", model.engineVersion, { to: null, change: { engineVersion } })];
}

/** Longer times or fewer tokens a second, in steps of a tenth, two digits. */
function slowerLevel(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { serviceLevel } = model;
  if (serviceLevel === undefined) {
    return [];
  }
  const steps = Math.ceil(Math.log(LONGEST) / Math.log(TIME_STEP));
  return LEVEL_TIMES.map((key) => {
    const from = serviceLevel[key];
    if (from === undefined) {
      return undefined;
    }
    const values = Array.from({ length: steps }, (_, i) =>
      key === "tokensPerSecond" ? twoDigits(from / TIME_STEP ** (i + 1)) : twoDigits(from * TIME_STEP ** (i + 1)),
    );
    const others = [...new Set(values)].filter((value) => value !== from);
    return setting(request, model, `serviceLevel.${key}`, from, others.length, (i) => {
      const to = others[i] ?? from;
      return { to, change: { serviceLevel: { ...serviceLevel, [key]: to } } };
    });
  });
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

function unpinned(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  return (["tensorParallel", "pipelineParallel"] as const).map((key) => {
    const pinned = model[key];
    const free = ({ [key]: _, ...rest }: ModelRequest): ModelRequest => rest;
    const isMeant = (m: ModelRequest) => m === model || m.revisionOf?.model === model.name;
    return pinned === undefined
      ? undefined
      : {
          path: `models.${model.name}.${settingPath(model.engine, key)}`,
          from: pinned,
          count: 1,
          at: () => ({
            to: null,
            request: { ...request, models: request.models.map((m) => (isMeant(m) ? free(m) : m)) },
          }),
        };
  });
}
