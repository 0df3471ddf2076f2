/** `nodes.<group>`: models in a group, and names of groups. Registrars: outside-servers.ts. */
import { findModel } from "../../../catalog/models";
import { engineNames, engineOf } from "../../../engines";
import { GATEWAY_PATHS, GATEWAY_ROUTES } from "../../../names/gateway-paths";
import { list, suggest } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { requestedSettings } from "../engine-block";

type Sections = RuleContext["sections"];

function groupsOf({ nodes = {} }: Sections) {
  return Object.entries(nodes).map(([group, settings]) => ({ group, path: ["nodes", group], ...settings }));
}

export const groupModelsExist: Rule = function* ({ sections, declared }) {
  const { models = {} } = sections;
  for (const { group, path, model } of groupsOf(sections)) {
    if (declared.models.includes(model)) {
      continue;
    }
    const canaryOf = Object.hasOwn(models, model) ? models[model]?.revisionOf?.model : undefined;
    const [named] = Object.entries(models).find(([, each]) => each.model === model || each.servedName === model) ?? [];
    const allowed = `a name under models: ${list(declared.models)}`;
    const problem = { path: [...path, "model"], value: model, allowed };
    if (canaryOf !== undefined) {
      const fix = `write model: ${canaryOf}; its canary's pods are nodes of the group too`;
      yield { ...problem, fix };
    } else if (named !== undefined) {
      yield { ...problem, fix: `write model: ${named}, the name of the entry with that model` };
    } else if (/^https?:/.test(model)) {
      const entry = `models.${group}-server: {engine: external, external: {url: …}}`;
      yield { ...problem, fix: `add an entry for the external server, ${entry}, and name that here` };
    } else if (findModel(model)) {
      yield {
        ...problem,
        fix: `add the entry, for example models.${group}-model: {model: ${model}}, and name that here`,
      };
    } else {
      yield { ...problem, fix: suggest(model, declared.models, "add it under models, or name one of these") };
    }
  }
};

export const modelsAreInOneGroup: Rule = function* ({ sections }) {
  const groups = new Map<string, string>();
  for (const { group, path, model } of groupsOf(sections)) {
    const other = groups.get(model);
    if (other === undefined) {
      groups.set(model, group);
      continue;
    }
    yield {
      path: [...path, "model"],
      value: model,
      allowed: `a model that is in no group yet: ${model} is in ${other}`,
      fix: `remove nodes.${other} or nodes.${group}; or give the model a second entry under models, with pods of its own`,
    };
  }
};

export const groupNamesAreFree: Rule = function* ({ sections, declared }) {
  const models = new Set([...declared.models, ...Object.keys(sections.models ?? {})]);
  for (const { group, path } of groupsOf(sections)) {
    const owner = models.has(group)
      ? `models.${group} has this one, and the path /${group} at the gateway`
      : nameOfGateway(group);
    if (owner !== undefined) {
      yield {
        path,
        value: group,
        allowed: `a name of its own: ${owner}`,
        fix: `rename it, for example to ${group}-nodes`,
      };
    }
  }
};

function nameOfGateway(name: string): string | undefined {
  if (Object.hasOwn(GATEWAY_PATHS, name)) {
    return `/${name} at the gateway is ${GATEWAY_PATHS[name]}`;
  }
  return GATEWAY_ROUTES.some((pattern) => pattern.test(name)) ? "routes of the gateway are called so" : undefined;
}

export const enginesHaveNodes: Rule = function* ({ sections }) {
  const { models = {} } = sections;
  for (const { group, path: section, model: name } of groupsOf(sections)) {
    const model = Object.hasOwn(models, name) ? models[name] : undefined;
    if (model === undefined || model.revisionOf) {
      continue;
    }
    const path = [...section, "model"];
    const { label, noNodes } = engineOf(model.engine);
    const { serverOf } = requestedSettings(model);
    if (noNodes !== undefined) {
      const able = engineNames.filter((engine) => engineOf(engine).noNodes === undefined);
      yield {
        path,
        value: name,
        allowed: `a model with engine ${able.join(", ")}: with ${label} ${noNodes}`,
        fix: `change models.${name}.engine, or remove nodes.${group}`,
      };
    } else if (serverOf !== undefined && serverOf !== name) {
      yield {
        path,
        value: name,
        allowed: `a model with pods of its own: ${name} is on the server of ${serverOf}`,
        fix: `write model: ${serverOf}, whose group takes requests for ${serverOf} alone; or remove ${model.engine}.serverOf of models.${name}`,
      };
    }
  }
};

/** An external server is a node without a pod: not counted or started here. */
export const groupsOfOthersHaveNoPods: Rule = function* ({ sections }) {
  const { externalModels = {} } = sections;
  for (const { path, model, replicas, registrar } of groupsOf(sections)) {
    if (!Object.hasOwn(externalModels, model)) {
      continue;
    }
    const whose = `models.${model} is an external server`;
    if (replicas !== undefined) {
      yield {
        path: [...path, "replicas"],
        value: replicas,
        allowed: `nothing: ${whose}, which has as many processes as its owner runs`,
        fix: "remove it",
      };
    }
    if (registrar !== undefined) {
      yield {
        path: [...path, "registrar"],
        value: registrar.url,
        allowed: `nothing: ${whose}, and no pod of this platform could register it or know when it leaves`,
        fix: "remove it; the operator of that server registers it",
      };
    }
  }
};

export const nodesAreCountedOnce: Rule = function* ({ sections, declared }) {
  for (const { group, path, model, replicas } of groupsOf(sections)) {
    if (replicas !== undefined && declared.modelKeys[model]?.includes("replicas")) {
      yield {
        path: [...path, "replicas"],
        value: replicas,
        allowed: `nothing: models.${model}.replicas says how many there are`,
        fix: `remove it here, or models.${model}.replicas: nodes.${group}.replicas then counts`,
      };
    }
  }
};
