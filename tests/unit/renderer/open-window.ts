/** A window over a transport, with its features, for tests. */
import { render as renderAlone } from '@testing-library/svelte'
import { mount, unmount, type Component } from 'svelte'
import { WindowState } from '../../../src/renderer/core/window/window.svelte.ts'
import type { Command } from '../../../src/renderer/core/window/command.ts'
import { startFeatures, type StartedFeatures, type WindowFeature } from '../../../src/renderer/core/window/feature.ts'
import type { WindowParts } from '../../../src/renderer/core/window/parts.ts'
import type { QuotesClocks } from '../../../src/renderer/core/market/quotes.svelte.ts'
import { replay } from '../../../src/renderer/features/replay/feature.ts'
import type { Replays } from '../../../src/renderer/features/replay/replays.ts'
import type { DockState } from '../../../src/renderer/features/workspace/dock.svelte.ts'
import { workspace } from '../../../src/renderer/features/workspace/feature.ts'
import { FEATURES } from '../../../src/renderer/features.ts'
import type { Transport } from '../../../src/shared/transport.ts'
import Contexts from './Contexts.svelte'
import { TestTransport } from '../../kit/transport.ts'

const started = new WeakMap<WindowState, StartedFeatures>()

export function openWindow(transport: Transport, clocks: QuotesClocks = {}): WindowState {
  const app = new WindowState(transport, clocks)
  started.set(app, startFeatures(FEATURES, app))
  return app
}
function featuresOf(app: WindowState): StartedFeatures {
  const features = started.get(app)
  if (!features) throw new Error('open the window with openWindow')
  return features
}

/** What a feature of a window offers. */
export const serviceOf = <S>(app: WindowState, feature: WindowFeature<S>): S => featuresOf(app).get(feature)

/** The replays of a window. */
export const replaysOf = (app: WindowState): Replays => serviceOf(app, replay)

/** The panes of a window. */
export const dockOf = (app: WindowState): DockState => serviceOf(app, workspace)

/** What the features of a window add to it. */
export const partsOf = (app: WindowState): WindowParts => featuresOf(app).parts

/** The contexts of a window's features, as its components find them. */
export function contextsOf(app: WindowState): Map<unknown, unknown> {
  let contexts = new Map<unknown, unknown>()
  const made = mount(Contexts, {
    target: document.createElement('div'),
    props: { provide: () => featuresOf(app).provide(), take: (all: typeof contexts) => (contexts = all) },
  })
  void unmount(made)
  return contexts
}

/** Renders a component of a window with the contexts of its features. */
export function render<P extends { app: WindowState }>(component: Component<P>, props: P) {
  return renderAlone(component as Component<Record<string, unknown>>, { props, context: contextsOf(props.app) }) // P is an object
}

/** Every command of a window. */
export function commandsOf(): readonly Command[] {
  const app = openWindow(new TestTransport())
  try {
    return app.commands.all
  } finally {
    app.close()
  }
}
