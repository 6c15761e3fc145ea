/** What a feature of the terminal is: its name, what it needs, and what it adds. */
import type { SettingsSection } from '../../shared/core/settings/settings.ts'
import type { Responder } from '../rpc/respond.ts'
import type { Host } from './host.ts'

export interface Started<S> {
  /** What other features and hosts may use. */
  readonly service: S
  /** What a window may call and follow. */
  readonly responders?: readonly Responder[]
  /** Called in the order of starting, once all features have started. */
  begin?(): Promise<void> | void
  /** The terminal is closing: start nothing new and end what's under way. Everything needed is still there. */
  stop?(): Promise<void> | void
  /** Called in the opposite order of starting, once every feature has stopped. */
  close?(): Promise<void> | void
}

/** Features by the name under which `start` receives their services. */
export type Needs = Readonly<Record<string, MainFeature>>
/** The services of needs, by the same names. */
export type Services<N extends Needs> = { readonly [K in keyof N]: N[K] extends MainFeature<infer S> ? S : never }

export interface MainFeature<S = unknown> {
  readonly name: string
  readonly needs: Needs
  readonly settings?: readonly SettingsSection[]
  /** Only `startTerminal` calls it, with the services of `needs`. */
  readonly start: (services: never, host: Host) => Started<S> | Promise<Started<S>>
}

/**
 * Defines a feature. Don't annotate the constant: its type is inferred through `needs`, so two features that need each
 * other have no type and don't compile.
 */
export function defineFeature<N extends Needs, S>(feature: {
  readonly name: string
  readonly needs: N
  /** Its sections of the settings. */
  readonly settings?: readonly SettingsSection[]
  readonly start: (services: Services<N>, host: Host) => Started<S> | Promise<Started<S>>
}): MainFeature<S> {
  return feature
}

/** A service that stands in for a feature, so that neither the feature nor what only it needs is started. */
export interface Fake {
  readonly feature: MainFeature
  readonly service: unknown
}
export const fake = <S>(feature: MainFeature<S>, service: NoInfer<S>): Fake => ({ feature, service })
