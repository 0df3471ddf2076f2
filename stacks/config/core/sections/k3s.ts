/** `cluster.hosts` and `cluster.k3s`: own machines that become clusters, over SSH. */
import { z } from "zod";
import { isPublicKeyLine, PUBLIC_KEY_LINE } from "../ssh-public-key";
import { dnsLabel, text, wholeNumber } from "./fields";

/** DNS name, with or without a dot, or IP address. */
const address = z
  .union([
    z
      .string()
      .max(253)
      .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
    z.ipv4(),
    z.ipv6(),
  ])
  .meta({ allowed: "a lower-case DNS name or an IP address, by itself: no user@, :port or brackets" });

/** Absolute, without characters special to shells or URLs. */
export const folder = text(1024)
  .regex(/^\/[A-Za-z0-9._/-]+$/)
  .meta({ allowed: 'an absolute path of letters, digits, ".", "_", "-" and "/"', example: "/srv/bundle" });

const host = z
  .strictObject({
    address: address.meta({
      description: "Where the machine answers, for SSH and as the Kubernetes API's address.",
      example: "gpu-box.example.internal",
    }),
    user: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/)
      .default("root")
      .meta({
        description: "Who logs in: root, or a user whom sudo lets become root.",
        allowed:
          'the name of a Linux user: letters, digits, "_", "." and "-", at most 32, beginning with a letter or "_"',
        example: "ops",
      }),
    port: wholeNumber(1, 65_535)
      .default(22)
      .meta({ description: "Port of the machine's SSH server.", unit: "TCP port", example: 22 }),
    hostKey: z.string().max(4096).regex(PUBLIC_KEY_LINE).refine(isPublicKeyLine).meta({
      description:
        "The machine's public host key, by which it proves to be that machine: on it, cat /etc/ssh/ssh_host_ed25519_key.pub.",
      allowed:
        'one whole line as OpenSSH writes it, the type first and no options: "ssh-ed25519 AAAA…" (ssh-ed25519, ecdsa-sha2-nistp256, -384 or -521; a machine with a key of ssh-rsa has one of these as well)',
      example: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs",
    }),
    bundle: folder.optional().meta({
      description: "Where the bundle (k3s.bundle) lies on the machine. Default: at the same path as here.",
      example: "/media/usb/bundle",
    }),
  })
  .meta({ description: "A machine of one's own, as SSH finds it." });

/** By Kubernetes node name. */
export const hostsSection = z.record(dnsLabel(), host).meta({
  description: "The machine that becomes the cluster, by the name that its node gets; with provision: create.",
  example: {
    workstation: {
      address: "gpu-box.example.internal",
      user: "ops",
      hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs",
    },
  },
});

export const k3sSection = z
  .strictObject({
    serverNames: z
      .array(address)
      .default([])
      .meta({
        description: "Further names and addresses under which the Kubernetes API is called: its certificate has them.",
        examples: [["10.8.0.5"]],
      }),
    bundle: folder.optional().meta({
      description:
        "Folder that npm run bundle made: k3s, images, charts and models come from it, and nothing from the internet.",
      example: "/srv/bundle",
    }),
  })
  .meta({ description: "How k3s is set up on the machine, with provision: create." });
