/** The gateway's public name: set in one way, with an address known in advance. */
import { AWS_SETTINGS, isPublicAws } from "../../../kubernetes/aws-load-balancer";
import { isInternalOci } from "../../../kubernetes/oci-load-balancer";
import { isPrivateIpv4 } from "../../../names/cidr";
import type { ProblemDraft } from "../core/problems";
import type { Rule } from "../core/rule";
import type { ClusterConfig } from "../core/schema";
import type { WrittenGateway } from "../core/wildcard-dns";

export const gatewayHasOneName: Rule = function* ({ sections: { gateway } }) {
  if (gateway === undefined || (gateway.hostname === undefined) !== (gateway.wildcardDns === undefined)) {
    return;
  }
  const path = ["gateway", "hostname"];
  if (gateway.hostname === undefined) {
    yield {
      path,
      value: undefined,
      allowed:
        "a lower-case DNS name with at least one dot, no IP address; or wildcardDns instead, which needs no DNS record",
      fix: "write for example hostname: inference.example.com, or wildcardDns: {service: sslip.io, address: 203.0.113.7}",
    };
  } else {
    yield { path, value: gateway.hostname, allowed: "either hostname or wildcardDns", fix: "remove one of the two" };
  }
};

/** The name contains the address: without a known address there is no name. */
export const wildcardAddressIsKnown: Rule = function* ({ sections: { cluster, gateway } }) {
  if (cluster === undefined || gateway?.wildcardDns === undefined) {
    return;
  }
  const where: Place = { kind: cluster.kind, gateway, address: gateway.wildcardDns.address };
  yield* BY_EXPOSURE[gateway.exposure](where);
};

/** Let's Encrypt connects to the address from the internet. */
export const publicAuthoritiesReachTheAddress: Rule = function* ({ sections: { gateway } }) {
  const { wildcardDns, tls } = gateway ?? {};
  if (wildcardDns && isPrivateIpv4(wildcardDns.address) && tls?.kind === "acme" && tls.server === undefined) {
    yield {
      path: ["gateway", "tls", "kind"],
      value: tls.kind,
      allowed: `secret or self-signed with the private address ${wildcardDns.address}: Let's Encrypt has no way to it`,
      fix: "write tls: {kind: secret, secretName: …}; or server: with the directory of an ACME server in your network",
    };
  }
};

interface Place {
  readonly kind: ClusterConfig["kind"];
  readonly gateway: WrittenGateway;
  readonly address: string;
}

type Check = (place: Place) => Iterable<ProblemDraft>;

const BY_EXPOSURE: Readonly<Record<WrittenGateway["exposure"], Check>> = {
  *ClusterIP() {
    yield notHere({
      value: "wildcardDns with exposure: ClusterIP",
      allowed: "an exposure that clients can reach: a Service of type ClusterIP has no address outside of the cluster",
      fix: "write hostname, any name, for calls through kubectl port-forward; or exposure: NodePort or LoadBalancer",
    });
  },
  *NodePort({ kind }) {
    if (kind !== "edge" && kind !== "local") {
      yield notHere({
        value: `wildcardDns with exposure: NodePort on ${kind}`,
        allowed: "a fixed address: nodes of cloud pools change, and their addresses with them",
        fix: "write exposure: LoadBalancer with an address that you reserve at the cloud; or hostname with a DNS record",
      });
    }
  },
  LoadBalancer: (place) => BY_CLOUD[place.kind](place),
};

/** Source of a load balancer's address. */
const BY_CLOUD: Readonly<Record<ClusterConfig["kind"], Check>> = {
  /** k3s uses the machine's address; others the Service's. */
  *edge() {},
  *local() {
    yield notHere({
      value: "wildcardDns with exposure: LoadBalancer on local",
      allowed:
        "an address that is known before: this cluster's load balancer makes one up at deployment, if it has any",
      fix: "write exposure: NodePort with the address of a node; cluster: {kind: edge} for a machine with k3s; or hostname",
    });
  },
  /** By the platform; OCI takes reserved public ones only (see loadBalancerIp in proxy-pods.ts). */
  *oci({ gateway: { serviceAnnotations = {} }, address }) {
    const isInternal = isInternalOci(serviceAnnotations);
    if (isInternal || isPrivateIpv4(address)) {
      yield notHere({
        value: `wildcardDns with ${isInternal ? "an internal load balancer" : `the private address ${address}`}`,
        allowed: "a reserved public address on OCI: it gives an internal load balancer whichever is free",
        fix: "write hostname with a DNS record; or reserve a public address, and remove …internal from serviceAnnotations",
      });
    }
  },
  *aws({ gateway: { serviceAnnotations = {} }, address }) {
    const isPublic = isPublicAws(serviceAnnotations);
    const key = isPublic ? `${AWS_SETTINGS}eip-allocations` : `${AWS_SETTINGS}private-ipv4-addresses`;
    const given = serviceAnnotations[key]?.trim() ?? "";
    const isKnown = isPublic ? /^eipalloc-[0-9a-f]+$/.test(given) : given === address;
    if (!isKnown || isPublic === isPrivateIpv4(address)) {
      yield {
        path: ["gateway", "serviceAnnotations", key],
        value: serviceAnnotations[key],
        allowed: isPublic
          ? `the allocation of one Elastic IP, ${address}, with wildcardDns: its name holds one public address`
          : `${address}, with wildcardDns: an internal load balancer takes the private address that is named here`,
        fix: isPublic
          ? `write ${key}: eipalloc-… of ${address}, and ${AWS_SETTINGS}subnets: <one subnet>, since it takes one address a subnet; or hostname`
          : `write ${key}: ${address} and ${AWS_SETTINGS}subnets: <its subnet>; ${AWS_SETTINGS}scheme: internet-facing with an Elastic IP; or hostname`,
      };
    }
  },
};

function notHere(problem: Omit<ProblemDraft, "path">): ProblemDraft {
  return { path: ["gateway", "wildcardDns"], ...problem };
}
