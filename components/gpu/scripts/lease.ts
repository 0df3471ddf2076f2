/** Lease that allows one certifier per pool. */
import { call } from "./api.ts";

interface LeaseObject {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

export class Lease {
  private readonly path: string;
  private readonly name: string;
  private readonly holder: string;
  private readonly seconds: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(namespace: string, name: string, holder: string, seconds: number) {
    this.path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    this.name = name;
    this.holder = holder;
    this.seconds = seconds;
  }

  /**
   * Acquires the Lease if it is free or expired, and renews it.
   *
   * @param lost called if another holder takes it: this certifier must stop.
   * @returns the other holder, if any.
   */
  async acquire(lost: () => void): Promise<string | undefined> {
    const found = await call("GET", `${this.path}/${this.name}`, undefined, [404]);
    const known = found.status === 404 ? undefined : (found.body as LeaseObject);
    const holder = known?.spec.holderIdentity;
    if (known && holder && holder !== this.holder && isFresh(known)) {
      return holder;
    }
    if (!(await this.write(known, this.holder))) {
      return "a certifier that was faster";
    }
    this.timer = setInterval(
      () => {
        this.renew().then(
          (mine) => mine || lost(),
          // API unavailable: the Lease is valid until it expires, and the next call reports.
          () => undefined,
        );
      },
      (this.seconds * 1000) / 3,
    );
    return undefined;
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    const found = await call("GET", `${this.path}/${this.name}`, undefined, [404]);
    if (found.status === 200 && (found.body as LeaseObject).spec.holderIdentity === this.holder) {
      await this.write(found.body as LeaseObject, "");
    }
  }

  private async renew(): Promise<boolean> {
    const { body } = await call("GET", `${this.path}/${this.name}`);
    const known = body as LeaseObject;
    return known.spec.holderIdentity === this.holder && (await this.write(known, this.holder));
  }

  /** False if another writer was faster. */
  private async write(known: LeaseObject | undefined, holderIdentity: string): Promise<boolean> {
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      // The resource version makes concurrent writes fail.
      metadata: { name: this.name, ...(known && { resourceVersion: known.metadata.resourceVersion }) },
      spec: {
        holderIdentity,
        leaseDurationSeconds: this.seconds,
        renewTime: new Date().toISOString().replace("Z", "000Z"),
      },
    };
    const { status } = known
      ? await call("PUT", `${this.path}/${this.name}`, lease, [404, 409])
      : await call("POST", this.path, lease, [409]);
    return status < 300;
  }
}

function isFresh({ spec: { renewTime, leaseDurationSeconds = 0 } }: LeaseObject): boolean {
  return renewTime !== undefined && Date.now() - Date.parse(renewTime) < leaseDurationSeconds * 1000;
}
