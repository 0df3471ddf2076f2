/** An integration dependency of the end-to-end tests. */
export interface Part {
  readonly name: string;
  /** Where it comes from: built from a Go module, from PyPI into a virtual environment, or a Debian package. */
  readonly from: GoModule | PyPiPackage | "debian";
  /** Each binary, and what gives it: its Go package, its console script ("python": the interpreter) or its Debian package. */
  readonly binaries: Readonly<Record<string, string>>;
  /**
   * What makes each binary print its version and exit with status 0; absent where nothing does: then none that is found
   * on the machine is used, for nobody could tell what it is.
   */
  readonly versionArgs?: readonly string[];
  /** The oldest version of a binary found on the machine that is used instead of ours; absent where it prints none. */
  readonly oldest?: string;
  /** Installed only where it is named: no test of every change needs it, and it is large. */
  readonly onRequest?: boolean;
  /** A folder that is searched before PATH: the value of an environment variable, and a path below it. */
  readonly home?: { readonly variable: string; readonly below: string };
}

export interface GoModule {
  readonly module: string;
  /**
   * The folder in rehearsal/parts/modules with its go.mod and go.sum. Parts that are made of mostly the same packages
   * share one, so that each package is compiled once. @default the part's name
   */
  readonly pins?: string;
  readonly tags?: string;
  /** Linker flags; `{version}` becomes the module's version without its "v". */
  readonly ldflags?: string;
  /** Tests read files of the module too (moduleFolder), so it is downloaded even where its binary is found. */
  readonly files?: boolean;
}

export interface PyPiPackage {
  readonly package: string;
  readonly version: string;
  /** Its binaries are programs, and no scripts: paths below the packages, with the folder of the libraries that they load. */
  readonly programs?: { readonly libraries: string };
  /** A name and version under which the package looks itself up, where they are not those that PyPI has it under. */
  readonly looksFor?: { readonly package: string; readonly version: string };
}
