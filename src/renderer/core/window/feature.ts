/**
 * How a feature joins the window: it names the features it needs, starts with their services, and returns its own
 * service together with what it adds to the window (panes, commands, dialogs, settings). The window knows no feature by
 * name; `features.ts` lists them.
 */
import type { SettingsSection } from '../../../shared/core/settings/settings.ts'
import { provideParts, WindowParts, type Contributions } from './parts.ts'
import { provideSubject } from './subject.ts'
import type { WindowState } from './window.svelte.ts'

export interface WindowStarted<S> extends Contributions {
  readonly service: S
  /** Gives the feature's components their context. Runs once, in the root component. */
  readonly provide?: () => void
  /** Sends changes that aren't saved yet, because the page may be about to close. */
  readonly save?: () => void
  /** The page is hidden or closed. A hidden page may come back. */
  readonly leave?: () => void
  readonly close?: () => void
}

export interface WindowFeature<S = unknown> {
  readonly name: string
  readonly needs: WindowNeeds
  readonly settings?: readonly SettingsSection[]
  readonly start: (services: never, app: WindowState) => WindowStarted<S>
}
export type WindowNeeds = Readonly<Record<string, WindowFeature>>
export type WindowServices<N extends WindowNeeds> = {
  readonly [K in keyof N]: N[K] extends WindowFeature<infer S> ? S : never
}

/** Declares a feature; `start` receives the services of exactly the features in `needs`. */
export const defineWindowFeature = <N extends WindowNeeds, S>(feature: {
  readonly name: string
  readonly needs: N
  readonly settings?: readonly SettingsSection[]
  readonly start: (services: WindowServices<N>, app: WindowState) => WindowStarted<S>
}): WindowFeature<S> => feature

export interface StartedFeatures {
  readonly parts: WindowParts
  /** The service of a feature. @throws if the feature isn't started. */
  get<S>(feature: WindowFeature<S>): S
  /** Gives every component below the current one the contexts of all features. */
  provide(): void
  save(): void
  leave(): void
  close(): void
}

/**
 * Starts features and those they need, needs first, and adds what they contribute to the window.
 * @throws if two features have one name
 */
export function startFeatures(features: readonly WindowFeature[], app: WindowState): StartedFeatures {
  const ordered = inOrder(features)
  app.settings.register(ordered.flatMap(({ settings = [] }) => settings))
  const started = new Map<WindowFeature, WindowStarted<unknown>>()
  for (const feature of ordered) {
    const services = Object.fromEntries(
      Object.entries(feature.needs).map(([key, needed]) => [key, started.get(needed)?.service]),
    )
    // The keys of `needs` carry the types that `start` declares; `defineWindowFeature` checked them.
    started.set(feature, feature.start(services as never, app))
  }
  const onScreen = ordered.toSorted((a, b) => orderOf(features, a) - orderOf(features, b))
  const parts = new WindowParts()
  for (const feature of onScreen) {
    const added: Contributions = started.get(feature) ?? {}
    parts.add(added)
    app.commands.add(added.commands ?? [])
  }
  const all = [...started.values()]
  const begun: StartedFeatures = {
    parts,
    get<S>(feature: WindowFeature<S>): S {
      const one = started.get(feature)
      if (one === undefined) throw new Error(`The feature ${feature.name} isn't started.`)
      return one.service as S // what this very feature's `start` returned
    },
    provide() {
      provideSubject(app)
      provideParts(parts)
      for (const one of all) one.provide?.()
    },
    save: () => all.forEach((one) => one.save?.()),
    leave: () => all.forEach((one) => one.leave?.()),
    close: () => all.toReversed().forEach((one) => one.close?.()),
  }
  app.attach(begun)
  return begun
}

/** The features and those they need, each once, needs first. @throws if two have one name. */
function inOrder(features: readonly WindowFeature[]): readonly WindowFeature[] {
  const ordered = new Set<WindowFeature>()
  const visit = (feature: WindowFeature): void => {
    if (ordered.has(feature)) return
    Object.values(feature.needs).forEach(visit)
    ordered.add(feature)
  }
  features.forEach(visit)
  const names = new Set<string>()
  for (const { name } of ordered) {
    if (names.has(name)) throw new Error(`Two features are named ${name}.`)
    names.add(name)
  }
  return [...ordered]
}

/** Features that are only needed, not listed, come last. */
function orderOf(features: readonly WindowFeature[], feature: WindowFeature): number {
  const at = features.indexOf(feature)
  return at < 0 ? features.length : at
}
