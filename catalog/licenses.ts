import table from "./licenses.json";

/** What a project licenses its own code under, and what of it the platform runs. */
export interface ProjectLicense {
  /** `owner/name`. */
  readonly project: string;
  /** As SPDX names it. */
  readonly license: string;
  readonly source: string;
  /** Registry and repository of its images. */
  readonly images: readonly string[];
  /** Catalogue names of its charts. */
  readonly charts: readonly string[];
}

// Checked against catalog/schema by test/catalog.
const projects: readonly ProjectLicense[] = table.projects;

export const K3S_LICENSE: string = table.k3s.license;

/**
 * By the image's makers; undefined if not recorded.
 * @param repository without tag.
 */
export function imageLicense(repository: string): string | undefined {
  return projects.find(({ images }) => images.includes(repository))?.license;
}

/**
 * The same of a chart.
 * @param name in the catalogue.
 */
export function chartLicense(name: string): string | undefined {
  return projects.find(({ charts }) => charts.includes(name))?.license;
}
