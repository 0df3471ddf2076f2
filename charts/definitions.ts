import { parse } from "yaml";
import { chartFilesOf } from "./archive";

export type ChartValues = Readonly<Record<string, unknown>>;

interface Dependency {
  readonly name: string;
  readonly alias?: string;
  /** Comma-separated value paths; the first boolean decides. */
  readonly condition?: string;
}

/**
 * Files in `crds/` of a chart and its enabled subcharts, which Helm installs once (helm v3,
 * pkg/chart/chart.go `CRDObjects`; pkg/chartutil/dependencies.go, whose `tags` no pinned chart
 * has).
 *
 * @param archive content of the `.tgz`.
 * @param values of the release.
 * @returns YAML per file, in any order.
 */
export function chartDefinitions(archive: Buffer, values: ChartValues): readonly string[] {
  const files = new Map(chartFilesOf(archive).map(({ path, content }) => [path.slice(path.indexOf("/") + 1), content]));
  return definitionsIn(files, "", values);
}

function definitionsIn(files: ReadonlyMap<string, Buffer>, folder: string, given: ChartValues): readonly string[] {
  const read = (name: string) => asValues(parse(String(files.get(`${folder}${name}`) ?? "")));
  const paths = [...files.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
  const own = paths.filter((path) => /^crds\/.*\.(ya?ml|json)$/.test(path));
  const subcharts = new Set(paths.flatMap((path) => /^charts\/([^/]+)\/Chart\.yaml$/.exec(path)?.[1] ?? []));
  const values = overlaid(read("values.yaml"), given);
  const dependencies = (read("Chart.yaml").dependencies ?? []) as readonly Dependency[];
  return [
    ...own.map((path) => String(files.get(`${folder}${path}`))),
    ...[...subcharts].flatMap((subchart) => {
      const dependency = dependencies.find(({ name }) => name === subchart);
      const below = asValues(values[dependency?.alias ?? subchart]);
      return isOn(dependency, values) ? definitionsIn(files, `${folder}charts/${subchart}/`, below) : [];
    }),
  ];
}

function isOn(dependency: Dependency | undefined, values: ChartValues): boolean {
  const switches = (dependency?.condition ?? "").split(",").map((path) => valueAt(values, path.trim()));
  return switches.find((value) => typeof value === "boolean") !== false;
}

function valueAt(values: ChartValues, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => asValues(value)[key], values);
}

/** Merges objects of values; replaces everything else. */
function overlaid(under: ChartValues, over: ChartValues): ChartValues {
  const merged = Object.entries(over).map(([key, value]) => {
    const isMerged = isValues(value) && isValues(under[key]);
    return [key, isMerged ? overlaid(asValues(under[key]), value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

function isValues(value: unknown): value is ChartValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asValues(value: unknown): ChartValues {
  return isValues(value) ? value : {};
}
