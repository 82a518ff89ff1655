declare module "postject" {
  /** Writes a resource into an executable file. */
  export function inject(
    executable: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>;
}
