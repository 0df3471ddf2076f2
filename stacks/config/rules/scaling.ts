/** Rules of `models.<name>.scaling`, without placement and speed (planner/scaling-problems.ts). */
import { engineOf } from "../../../engines";
import type { ScalingRequest, ScalingSignalName } from "../../../planner/scaling";
import { reportedSignals, usualSignals } from "../../../planner/scaling-signals";
import { list, type Path, type ProblemDraft } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { releaseOf, requestedSettings } from "../engine-block";
import type { ModelConfig } from "../schema";

interface Scaled {
  readonly name: string;
  readonly model: ModelConfig;
  readonly scaling: ScalingRequest;
  readonly path: Path;
}

/** With autoscaling settings and own pods. */
function scaledModels({ models = {} }: RuleContext["sections"]): Scaled[] {
  return Object.entries(models).flatMap(([name, model]) =>
    model.scaling && requestedSettings(model).serverOf === undefined
      ? [{ name, model, scaling: model.scaling, path: ["models", name, "scaling"] }]
      : [],
  );
}

function ownReplicas({ models = {} }: RuleContext["sections"]): [string, ModelConfig][] {
  return Object.entries(models).filter(([, model]) => requestedSettings(model).serverOf === undefined);
}

export const enginesCanBeScaled: Rule = function* ({ sections }) {
  for (const [name, { engine, replicas }] of ownReplicas(sections)) {
    const { label, noScaling } = engineOf(engine);
    if (noScaling !== undefined && replicas.max > replicas.min) {
      const fixed = Math.max(1, replicas.min);
      yield {
        path: ["models", name, "replicas", "max"],
        value: replicas.max,
        allowed: `as many as replicas.min with engine: ${engine}: ${label} is not scaled, ${noScaling}`,
        fix: `write replicas: {min: ${fixed}, max: ${fixed}}, or take an engine whose replicas follow demand`,
      };
    }
  }
};

export const scalingHasRoom: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections)) {
    const { min, max } = model.replicas;
    if (min === max) {
      yield {
        path,
        value: scaling,
        allowed: `only where replicas.max is larger than replicas.min: both are ${max}, so that there is nothing to scale`,
        fix:
          engineOf(model.engine).noScaling === undefined
            ? `write replicas: {min: ${min}, max: ${max + 1}}, or remove scaling`
            : "remove scaling",
      };
    }
  }
};

export const signalsAreReported: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections)) {
    for (const [index, signal] of (scaling.on ?? []).entries()) {
      // KEDA names triggers by signal and refuses duplicates.
      const isTwice = scaling.on?.indexOf(signal) !== index;
      const problem = isTwice
        ? { allowed: "each signal once", fix: "remove it" }
        : signalProblem(signal, model, scaling);
      if (problem) {
        yield { path: [...path, "on", index], value: signal, ...problem };
      }
    }
  }
};

/** For examples: ms of a whole request, possible on most machines. */
const LATENCY_EXAMPLE_MS = 5000;

const OF_REQUESTS: readonly ScalingSignalName[] = ["queue", "kvCache", "latency"];

/** Undefined for supported signals. */
function signalProblem(
  signal: ScalingSignalName,
  model: ModelConfig,
  { by }: ScalingRequest,
): Pick<ProblemDraft, "allowed" | "fix"> | undefined {
  const { engine } = model;
  const { label, preallocatesGpuMemory } = engineOf(engine);
  const version = releaseOf(model);
  const fix = by === "hpa" ? `write ${OF_ADAPTERS}` : `write on: [${usualSignals(engine, version).join(", ")}]`;
  if (signal === "gpuMemory" && preallocatesGpuMemory && requestedSettings(model).growsGpuMemory !== true) {
    return {
      allowed: `only with engines that take GPU memory as they need it: ${label} takes all that it may when it starts, so that the figure is the same with no request and with a thousand`,
      fix,
    };
  }
  const reported = reportedSignals(engine, version);
  return OF_REQUESTS.includes(signal) && !reported.includes(signal)
    ? {
        allowed: `what is known of ${label} ${version}: ${list(reported)}; it does not report ${signal}`,
        fix,
      }
    : undefined;
}

/** Signals of any model through an adapter. */
const OF_ADAPTERS = `for example on: [latency] with targets: {latency: ${LATENCY_EXAMPLE_MS}}`;

export const targetsHaveSignals: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections)) {
    const on = scaling.on ?? usualSignals(model.engine, releaseOf(model));
    for (const [signal, target] of Object.entries(scaling.targets)) {
      if (target !== undefined && !on.some((each) => each === signal)) {
        yield {
          path: [...path, "targets", signal],
          value: target,
          allowed: `only targets of scaling.on: ${list(on)}`,
          fix: `add ${signal} to on, or remove the target`,
        };
      }
    }
    if (on.includes("latency") && scaling.targets.latency === undefined) {
      yield {
        path: [...path, "targets"],
        value: scaling.targets,
        allowed: "a target of latency, where on names it: the target depends on the length of responses",
        fix: `write targets: {latency: ${LATENCY_EXAMPLE_MS}} or another time in milliseconds per request`,
      };
    }
  }
};

export const adaptersOfClustersAreKnownToServe: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections).filter(({ scaling: { by } }) => by === "hpa")) {
    const keda = "write by: keda";
    if (model.replicas.min === 0) {
      yield {
        path: ["models", path[1] ?? "", "replicas", "min"],
        value: 0,
        allowed:
          "at least 1 with by: hpa: a HorizontalPodAutoscaler leaves what has no replicas alone, and nothing would wake it",
        fix: `${keda}, or replicas.min: 1`,
      };
    }
    const queues = (scaling.on ?? []).filter((signal) => signal === "queue" || signal === "kvCache");
    if (scaling.on === undefined || queues.length > 0) {
      yield {
        path: [...path, "on"],
        value: scaling.on,
        allowed:
          "latency, gpuMemory, gpuUtilization and cpuQueue with by: hpa: what is recorded under names that an adapter serves",
        fix: `write ${OF_ADAPTERS}, or ${keda.slice(6)}`,
      };
    }
    if (scaling.schedule.length > 0) {
      yield {
        path: [...path, "schedule"],
        value: scaling.schedule,
        allowed: "nothing with by: hpa: a HorizontalPodAutoscaler knows no clock",
        fix: `remove it, or ${keda}`,
      };
    }
  }
};

export const oneServerOfExternalMetrics: Rule = function* ({ sections }) {
  const { models = {} } = sections;
  const scaled = ownReplicas(sections).filter(([, { replicas }]) => replicas.max > replicas.min);
  const byKeda = scaled.find(([name]) => (models[name]?.scaling?.by ?? "keda") === "keda");
  for (const { name, path, scaling } of scaledModels(sections)) {
    if (scaling.by === "hpa" && byKeda && byKeda[0] !== name) {
      yield {
        path: [...path, "by"],
        value: "hpa",
        allowed: `one of both in an environment, and KEDA scales models.${byKeda[0]}: a cluster has one server of external metrics, which would be KEDA and not the adapter`,
        fix: `write by: keda here, or by: hpa for each of the others`,
      };
    }
  }
};

export const modelsThatSleepAreWoken: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections)) {
    if (scaling.idleSeconds !== undefined && model.replicas.min > 0) {
      yield {
        path: [...path, "idleSeconds"],
        value: scaling.idleSeconds,
        allowed: `only with replicas.min: 0; ${model.replicas.min} always run here`,
        fix: "remove it, or write replicas.min: 0",
      };
    }
  }
};

export const spareReplicasMayRun: Rule = function* ({ sections }) {
  for (const { path, scaling, model } of scaledModels(sections)) {
    const { min, max } = model.replicas;
    if (scaling.spareReplicas > max - min && max > min) {
      yield {
        path: [...path, "spareReplicas"],
        value: scaling.spareReplicas,
        allowed: `0 to ${max - min}: no more may come than replicas.max ${max} less replicas.min ${min}`,
        fix: `write ${max - min}, or raise replicas.max`,
      };
    }
  }
};
