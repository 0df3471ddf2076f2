import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RenderedContainer } from "./platform";

/** What a test changes in a container. */
export interface Changes {
  /** Added to, or instead of, the rendered variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Contents instead of the rendered ones, by absolute path in the container. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A container's mounts as folders of this machine; its command and variables name those instead. */
export class ContainerFolder {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  private readonly root: string;

  /** @param parent folder in which a new one is made. */
  constructor(
    private readonly container: RenderedContainer,
    parent: string,
    changes: Changes = {},
  ) {
    this.root = mkdtempSync(join(parent, "container-"));
    for (const { path, files = {} } of container.mounts) {
      mkdirSync(join(this.root, path), { recursive: true });
      for (const [name, content] of Object.entries(files)) {
        this.write(`${path}/${name}`, content);
      }
    }
    for (const [path, content] of Object.entries(changes.files ?? {})) {
      this.write(path, content);
    }
    this.command = container.command.map((word) => this.here(word));
    const env = Object.entries(container.env).map(([name, value]) => [name, this.here(value)]);
    this.env = { ...Object.fromEntries(env), ...changes.env };
  }

  /** Where a path of the container lies on this machine; anything else is returned as it is. */
  here(path: string): string {
    const mounted = this.container.mounts.some((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
    return mounted ? join(this.root, path) : path;
  }

  private write(path: string, content: string): void {
    const file = this.here(path);
    if (file === path) {
      throw new Error(`${path} is below no mount of the container`);
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
