/** Architectures of the models that start-up logs name: from the catalogue, the tests' configurations, or a folder. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findModel, modelNames } from "../../../catalog/models";
import { repositoryRoot } from "../../../names/repository-root";
import type { KvCacheDtype } from "../../../planner/memory/kv-cache";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { parseConfigJson, readModelConfig } from "../../../planner/model/config-json";
import { publishedModels } from "../../planner/model/published-families";
import { architectureNames, bareName } from "./names";
import { recipeOf } from "./recipes";

type Config = Readonly<Record<string, unknown>>;

/** A configuration that is at hand, read when it is asked for. */
interface Source {
  /** Repository, `owner/name`. */
  readonly repository: string;
  readonly config: () => Config;
  /** hf_quant_config.json beside it. */
  readonly quantization?: () => unknown;
}

export interface ResolvedModel {
  readonly architecture: ModelArchitecture;
  readonly kvCacheDtype: KvCacheDtype;
  /** Repository whose configuration it is. */
  readonly from: string;
}

/** A name for which no configuration is at hand, or none that can be read. */
export class UnresolvedError extends Error {}

const MOST_FOLDERS = 2000;
const MOST_BYTES = 5_000_000;

/** Finds models by the names in start-up logs. */
export class ModelIndex {
  private readonly sources: readonly Source[];
  private readonly found = new Map<string, ResolvedModel>();

  /** @param configs folder of `owner--name/config.json`, which wins over what the repository has */
  constructor(configs?: string) {
    this.sources = [
      ...(configs === undefined ? [] : foldersIn(configs)),
      ...modelNames().flatMap(catalogueSource),
      ...foldersIn(join(repositoryRoot(), "test/fixtures/models")),
      ...publishedModels.map(({ name, config }) => ({ repository: name, config: () => config })),
    ];
  }

  /**
   * The repository itself; else one whose name differs in owner, tuning and weight format only; else one of the same
   * dimensions (equal-models.json). The format is then what the log or the name says.
   * @throws UnresolvedError
   */
  resolve(model: string, format: string): ResolvedModel {
    const key = `${model}\n${format}`;
    const known = this.found.get(key) ?? this.read(model, format);
    this.found.set(key, known);
    return known;
  }

  private read(model: string, format: string): ResolvedModel {
    const { quantizationConfig, kvCacheDtype } = recipeOf(format, model);
    const source = this.sourceOf(model, quantizationConfig !== null && quantizationConfig !== undefined);
    const own = source.config();
    const isItself = source.repository.toLowerCase() === model.toLowerCase();
    const keeps =
      quantizationConfig === undefined ||
      sameMethod(own.quantization_config, quantizationConfig) ||
      // the checkpoint is what it is: the log's column then has the number type beside the weights
      (own.quantization_config !== undefined && (isItself || !namesFormat(source.repository)));
    const { quantization_config: _own, ...plain } = own;
    const config = keeps ? own : { ...plain, ...(quantizationConfig && { quantization_config: quantizationConfig }) };
    try {
      const quantization = keeps ? source.quantization?.() : undefined;
      return {
        architecture: readModelConfig(config, { name: model, quantization }),
        kvCacheDtype,
        from: source.repository,
      };
    } catch (error) {
      throw new UnresolvedError(`its config.json cannot be read: ${(error as Error).message.split("\n")[0]}`);
    }
  }

  private sourceOf(model: string, isQuantized: boolean): Source {
    const wanted = model.toLowerCase();
    const exact = this.sources.find(({ repository }) => repository.toLowerCase() === wanted);
    if (exact) {
      return exact;
    }
    for (const name of architectureNames(model)) {
      const alike = this.sources.filter(({ repository }) => bareName(repository) === name);
      const best = alike.find(({ repository }) => namesFormat(repository) === isQuantized) ?? alike[0];
      if (best) {
        return best;
      }
    }
    throw new UnresolvedError(
      `no configuration of "${bareName(model)}" is at hand; put it in --configs DIR as ${model.replace("/", "--")}/config.json`,
    );
  }
}

/** Its name says that the checkpoint was converted to another weight format. */
function namesFormat(repository: string): boolean {
  const { quantizationConfig } = recipeOf("", repository);
  return quantizationConfig !== undefined && quantizationConfig !== null;
}

function sameMethod(own: unknown, recipe: object | null): boolean {
  const methodOf = (config: unknown) =>
    (config as { readonly quant_method?: unknown } | null | undefined)?.quant_method;
  return methodOf(own) !== undefined && methodOf(own) === methodOf(recipe);
}

function catalogueSource(name: string): Source[] {
  const entry = findModel(name);
  if (entry === undefined) {
    return [];
  }
  return [sourceIn(dirname(entry.configPath), entry.repository)];
}

/** @throws Error for a path that is no folder */
function foldersIn(folder: string): Source[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new Error(`--configs ${folder} is no folder`);
  }
  const names = readdirSync(folder).sort();
  if (names.length > MOST_FOLDERS) {
    throw new Error(`${folder} has ${names.length} entries; at most ${MOST_FOLDERS} are read`);
  }
  return names
    .filter((name) => existsSync(join(folder, name, "config.json")))
    .map((name) => sourceIn(join(folder, name), name.replace("--", "/")));
}

function sourceIn(folder: string, repository: string): Source {
  const quantizationPath = join(folder, "hf_quant_config.json");
  return {
    repository,
    config: () => parseConfigJson(readBounded(join(folder, "config.json")), repository) as Config,
    ...(existsSync(quantizationPath) && {
      quantization: () => parseConfigJson(readBounded(quantizationPath), quantizationPath),
    }),
  };
}

function readBounded(path: string): string {
  const { size } = statSync(path);
  if (size > MOST_BYTES) {
    throw new UnresolvedError(`${path} has ${size} bytes; at most ${MOST_BYTES} are read`);
  }
  return readFileSync(path, "utf8");
}
