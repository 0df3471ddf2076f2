import record from "./open-webui.json";

/** A variable that Open WebUI reads. */
export interface PageVariable {
  readonly name: string;
  /** File of the release that reads it; `image`: the image does. */
  readonly readIn: string;
}

/** One that has the same value in every environment, and why. */
export interface FixedPageVariable extends PageVariable {
  readonly value: string;
  readonly why: string;
}

/** Release whose variables these are. */
export const OPEN_WEBUI_VERSION: string = record.version;

export const fixedPageVariables: readonly FixedPageVariable[] = record.fixed;

/** Those whose values depend on the environment. */
export const otherPageVariables: readonly PageVariable[] = record.others;
