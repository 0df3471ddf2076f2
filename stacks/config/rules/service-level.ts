import { findModel, modelNames } from "../../../catalog/models";
import type { ModelTask } from "../../../engines/served-model";
import { hasTimes, LEVEL_TIMES } from "../../../planner/service-level";
import type { ModelConfig } from "../core/canary";
import { suggest } from "../core/problems";
import type { Rule } from "../core/rule";

/** Tasks that generate tokens. */
const GENERATING: readonly ModelTask[] = ["chat", "completion"];

export const serviceLevelsSaySomething: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { serviceLevel }] of Object.entries(models)) {
    if (!serviceLevel) {
      continue;
    }
    const path = ["models", name, "serviceLevel"];
    if (serviceLevel.availability === undefined && !hasTimes(serviceLevel)) {
      yield {
        path,
        value: serviceLevel,
        allowed: "at least one of availability, ttftMs, tpotMs, tokensPerSecond",
        fix: "add one, for example availability: 0.999, or remove serviceLevel",
      };
    } else if (!hasTimes(serviceLevel)) {
      for (const key of ["percentile", "confidence"] as const) {
        if (serviceLevel[key] !== undefined) {
          yield {
            path: [...path, key],
            value: serviceLevel[key],
            allowed: `only with ttftMs, tpotMs or tokensPerSecond, which it is the ${key} of`,
            fix: `add one of them, for example ttftMs: 500, or remove ${key}`,
          };
        }
      }
    }
  }
};

export const tokenTimesAreOfGeneratedText: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, model] of Object.entries(models)) {
    const { serviceLevel = {}, traffic } = model;
    const task = taskOf(model);
    if (!GENERATING.includes(task)) {
      if (traffic !== undefined) {
        yield {
          path: ["models", name, "traffic"],
          value: traffic,
          allowed: `only with task ${GENERATING.join(" or ")}; this one is ${task}, whose speed is not predicted`,
          fix: "remove traffic, and say replicas and concurrency",
        };
      }
      for (const key of LEVEL_TIMES) {
        if (serviceLevel[key] !== undefined) {
          yield {
            path: ["models", name, "serviceLevel", key],
            value: serviceLevel[key],
            allowed: `only with task ${GENERATING.join(" or ")}; this one is ${task}, which makes no tokens`,
            fix: `remove ${key}`,
          };
        }
      }
    }
  }
};

function taskOf({ model, task }: Pick<ModelConfig, "model" | "task">): ModelTask {
  return task ?? findModel(model ?? "")?.task ?? "chat";
}

export const trafficFitsTheModel: Rule = function* ({ sections: { models = {} } }) {
  for (const [name, { traffic, contextTokens }] of Object.entries(models)) {
    if (traffic === undefined) {
      continue;
    }
    const { inputTokens, outputTokens, sharedPrefixTokens } = traffic;
    const path = ["models", name, "traffic"];
    const both = inputTokens + outputTokens;
    if (both > contextTokens) {
      yield {
        path: [...path, "inputTokens"],
        value: inputTokens,
        allowed: `with outputTokens, ${outputTokens}, at most contextTokens, ${contextTokens}: prompts and answers of average length must fit`,
        fix: `lower inputTokens or outputTokens, or write contextTokens: ${both} or more where the model knows so many`,
      };
    }
    if (sharedPrefixTokens > inputTokens) {
      yield {
        path: [...path, "sharedPrefixTokens"],
        value: sharedPrefixTokens,
        allowed: `at most inputTokens, ${inputTokens}, which include them`,
        fix: `write ${inputTokens} or less, or raise inputTokens`,
      };
    }
  }
};

export const pricesAreOfModels: Rule = function* ({ sections: { apiPrices = {} }, declared }) {
  const names = [...declared.models, ...modelNames()];
  for (const name of Object.keys(apiPrices)) {
    if (!names.includes(name)) {
      yield {
        path: ["apiPrices", name],
        value: name,
        allowed: "a model of this environment or of the catalogue (npm run list -- models)",
        fix: suggest(name, names, `write one of ${declared.models.join(", ")}, or remove it`),
      };
    }
  }
};
