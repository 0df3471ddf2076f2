/** Models on another's server (`serverOf`): requirements, and settings of the whole process. */
import { engineOf } from "../../../engines";
import { list, type Path, type ProblemDraft, suggest } from "../core/problems";
import type { Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";
import type { ModelConfig } from "../schema";

/** Process-wide: guests use the host's. */
const OF_THE_SERVER = ["replicas", "scaling", "pools", "concurrency", "engineVersion", "image", "pod", "env"] as const;

export const serversCanBeJoined: Rule = function* ({ sections: { models = {}, externalModels = {} }, declared }) {
  for (const [name, model] of Object.entries(models)) {
    const { serverOf } = requestedSettings(model);
    if (serverOf === undefined) {
      continue;
    }
    const path = ["models", name, model.engine, "serverOf"];
    if (!declared.models.includes(serverOf)) {
      const others = declared.models.filter((other) => other !== name);
      yield {
        path,
        value: serverOf,
        allowed: `a name under models: ${list(others)}`,
        fix: suggest(serverOf, others, "take one of these, or remove it: the model then has a server of its own"),
      };
    } else if (Object.hasOwn(externalModels, serverOf)) {
      yield otherEngine(path, model, serverOf, externalModels[serverOf]?.engine ?? "");
    } else if (Object.hasOwn(models, serverOf)) {
      yield* hostProblems(path, { name, model }, { name: serverOf, model: models[serverOf] ?? model });
    }
  }
};

interface Named {
  readonly name: string;
  readonly model: ModelConfig;
}

function* hostProblems(path: Path, guest: Named, host: Named): Generator<ProblemDraft> {
  const value = host.name;
  const further = requestedSettings(host.model).serverOf;
  if (host.name === guest.name) {
    yield { path, value, allowed: "another model", fix: "remove it: a model is on its own server anyway" };
  } else if (host.model.engine !== guest.model.engine) {
    yield otherEngine(path, guest.model, host.name, host.model.engine);
  } else if (further !== undefined) {
    yield {
      path,
      value,
      allowed: `a model with a server of its own: models.${host.name} joins that of ${further} itself`,
      fix: further === guest.name ? "remove it in one of the two" : `write serverOf: ${further}`,
    };
  }
}

function otherEngine(path: Path, { engine }: ModelConfig, host: string, found: string): ProblemDraft {
  return {
    path,
    value: host,
    allowed: `a model with engine: ${engine}; models.${host} has ${found}`,
    fix: `name a model that ${engineOf(engine).label} serves, or remove it`,
  };
}

export const guestsLeaveTheServerToItsHost: Rule = function* ({ sections: { models = {}, pools = {} }, declared }) {
  for (const [name, model] of Object.entries(models)) {
    const { serverOf } = requestedSettings(model);
    if (serverOf === undefined || serverOf === name) {
      continue;
    }
    for (const key of OF_THE_SERVER.filter((each) => declared.modelKeys[name]?.includes(each))) {
      yield {
        path: ["models", name, key],
        value: model[key],
        allowed: `nothing: it is on the server of ${serverOf}, which has one ${key} for all of its models`,
        fix: `remove it here and write it at models.${serverOf}.${key}`,
      };
    }
    if (model.canary !== undefined) {
      yield {
        path: ["models", name, "canary"],
        value: model.canary,
        allowed: `only with pods of its own: it is on the server of ${serverOf}`,
        fix: `remove canary, or ${model.engine}.serverOf`,
      };
    }
    for (const [pool, { dedicatedTo = [] }] of Object.entries(pools)) {
      if (dedicatedTo.includes(name)) {
        yield {
          path: ["pools", pool, "dedicatedTo", dedicatedTo.indexOf(name)],
          value: name,
          allowed: `models with pods of their own: ${name} is on the server of ${serverOf}`,
          fix: `write ${serverOf}`,
        };
      }
    }
  }
};
