/** The rules of the house as a plugin of oxlint, for everything but `.svelte` files, which ESLint reads. */
import { walls } from './walls.mjs'

/** Node's own `mkdir` with `recursive`. */
const makeFolder = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== 'Identifier' || !/^mkdir(Sync)?$/.test(callee.name)) return
      const options = given.find(({ type }) => type === 'ObjectExpression')
      for (const property of options?.properties ?? [])
        if (property.type === 'Property' && property.key.name === 'recursive')
          context.report({ node: property, message: 'Node never returns from this below /proc: use makeFolder.' })
    },
  }),
}

export default { meta: { name: 'house' }, rules: { walls, 'make-folder': makeFolder } }
