// The data files, not their modules: Pulumi's policy runner resolves `images` to images.json, not
// images.ts.
import { chartNameOf } from "../../catalog/chart-archive";
import chartImages from "../../catalog/chart-images.json";
import { splitReference } from "../../catalog/image-mirror";
import { parseImage } from "../../catalog/image-reference";
import catalogImages from "../../catalog/images.json";
import { type Field, UNKNOWN } from "./field";
import type { PlanFacts } from "./plan";
import { HELM_CHART, type Resource } from "./resource";
import { type Placement, selectsNodes } from "./scheduling";

interface CatalogImage {
  readonly component: string;
  readonly repository: string;
  readonly tag: string;
  readonly platforms: readonly string[];
}

interface ChartImage {
  readonly component: string;
  /** Value path of the repository, or of the whole reference. */
  readonly repository?: string;
  readonly reference?: string;
}

const images: readonly CatalogImage[] = catalogImages.images;

/**
 * CPU architectures from the catalogue. Mirrors may drop the registry, so the reference's end
 * decides. Undefined where the catalogue lacks the image or its tag.
 *
 * @param reference `registry/repository:tag@digest`.
 */
export function architecturesOf(reference: string): readonly string[] | undefined {
  const { repository, tag } = parseImage(reference);
  const named = images.filter((entry) => entry.tag === tag);
  const entry =
    named.find((each) => isEndOf(each.repository, repository)) ??
    named.find((each) => isEndOf(splitReference(each.repository).path, repository));
  return entry && architectures(entry.platforms);
}

/** Of own images, as the plan states. Undefined for other references or without a statement. */
export function statedArchitectures(reference: string, models: PlanFacts["models"]): readonly string[] | undefined {
  const { repository, tag, digest } = parseImage(reference);
  const own = models
    .flatMap(({ image }) => image ?? [])
    .find((image) => {
      const written = parseImage(image.reference);
      const isSame = written.tag === tag && (written.digest === undefined || written.digest === digest);
      return (
        isSame &&
        (isEndOf(written.repository, repository) || isEndOf(splitReference(written.repository).path, repository))
      );
    });
  return own?.platforms && architectures(own.platforms);
}

function isEndOf(name: string, repository: string): boolean {
  return repository === name || repository.endsWith(`/${name}`);
}

function architectures(platforms: readonly string[]): readonly string[] {
  return platforms.map((platform) => platform.replace(/^linux\//, ""));
}

export interface PlacedChartImage {
  /** Default reference: `repository:tag`. */
  readonly reference: string;
  readonly architectures: readonly string[];
  /** Its pods run where one of these allows. */
  readonly placements: readonly Placement[];
}

/**
 * The catalogue's images of a release, unless its values override them; undefined for unlisted
 * charts. Pods run where the innermost level around an image says. Charts that keep images
 * elsewhere: where any level that selects nodes says.
 */
export function chartImagesOf(release: Resource): readonly PlacedChartImage[] | undefined {
  const chart = HELM_CHART.test(release.type) ? release.props.get("chart").text() : undefined;
  const listed = chart === undefined ? undefined : listedImages(chart);
  const values = release.props.get("values");
  let found: readonly Field[] | undefined;
  const elsewhere = (): readonly Field[] => {
    found ??= levels(values).filter(selectsNodes);
    return found.length > 0 ? found : [values];
  };
  return listed?.map(({ component, repository = "", reference = repository }) => {
    const entry = images.find((each) => each.component === component);
    const around = placementAround(values, reference.split("."));
    return {
      reference: entry ? `${entry.repository}:${entry.tag}` : component,
      architectures: architectures(entry?.platforms ?? []),
      placements: around ? [around] : elsewhere(),
    };
  });
}

function listedImages(reference: string): readonly ChartImage[] | undefined {
  const name = chartNameOf(reference);
  return chartImages.charts.find(({ chart }) => chart === name)?.images;
}

const PLACING = ["nodeSelector", "affinity", "tolerations"];

function placementAround(values: Field, path: readonly string[]): Placement | undefined {
  const level = values.get(...path.slice(0, -1));
  if (PLACING.some((key) => level.get(key).value !== undefined)) {
    return level;
  }
  return path.length > 1 ? placementAround(values, path.slice(0, -1)) : undefined;
}

/** Unknown values are settings, addresses or identifiers, not levels. */
function levels(level: Field): Field[] {
  const below = [...level.items(), ...level.entries().map(([, field]) => field)];
  return [level, ...below.filter(({ value }) => value !== UNKNOWN).flatMap(levels)];
}
