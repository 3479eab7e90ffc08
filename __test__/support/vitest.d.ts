import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The packed plugin. */
    tarball: { file: string; unpackedSize: number };
  }
}
