import { resolve } from "node:path";
import { type CatalogRows, chosenRows } from "../catalog/chosen-rows";
import { chosenServers, type Servers } from "../components/serving/chosen-servers";
import { chosenEngines, type Engines } from "../engines/chosen";
import { projectRoot } from "../names/project-root";
import { type Addons, chosenAddons } from "../stacks/addons/chosen";
import { chosenTransform } from "../stacks/chosen-transform";
import type { EnginePart, Part, PlatformParts } from "./parts";

/** A repository's platform: what Pulumi and the commands run. */
export interface Platform {
  /** Loads its parts, before anything that reads them. */
  readonly ready: () => Promise<void>;
  /** What `pulumi up` runs. */
  readonly program: () => Promise<object>;
  /** JSON Schema of its environments, with the sections of its add-ons and engines. */
  readonly schema: () => Promise<object>;
}

/** @throws Error when another platform was defined in this process. */
export function definePlatform(parts: PlatformParts): Platform {
  let loading: Promise<void> | undefined;
  const ready = () => {
    loading ??= choose(parts);
    return loading;
  };
  return {
    ready,
    program: async () => {
      await ready();
      const { deploy } = await import("../stacks/deploy");
      return deploy();
    },
    schema: async () => {
      await ready();
      const { environmentFileSchema } = await import("../stacks/config/json-schema");
      return environmentFileSchema();
    },
  };
}

/** In this order: each reads those before it when it loads. */
async function choose({ catalog, engines, addons, transform }: PlatformParts): Promise<void> {
  if (catalog !== undefined) {
    chosenRows.choose(inProject(catalog));
  }
  const chosen = await loaded(engines);
  requireDistinct(
    "engines",
    chosen.map(({ name }) => name),
  );
  // Names of the standard engines are known to the type checker; a repository may have others.
  chosenEngines.choose(Object.fromEntries(chosen.map(({ name, engine }) => [name, engine])) as Engines);
  chosenServers.choose(Object.fromEntries(await Promise.all(chosen.map(withServers))) as Servers);
  const own = await loaded(addons);
  requireDistinct(
    "add-ons",
    own.map(({ key }) => key),
  );
  chosenAddons.choose(own as unknown as Addons);
  if (transform !== undefined) {
    chosenTransform.choose(transform);
  }
}

function inProject({ models = [], ...others }: CatalogRows): CatalogRows {
  const project = projectRoot();
  return { ...others, models: models.map((row) => ({ ...row, configPath: resolve(project, row.configPath) })) };
}

async function withServers({ name, servers }: EnginePart) {
  return [name, await servers()] as const;
}

async function loaded<Kind>(parts: readonly Part<Kind>[]): Promise<Kind[]> {
  const modules = await Promise.all(parts.map((load) => load()));
  return modules.map(({ default: part }) => part);
}

function requireDistinct(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new Error(`two ${kind} are named "${twice}": give each its own name`);
  }
}
