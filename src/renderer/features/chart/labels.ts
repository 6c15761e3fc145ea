/** Labels of chart tools, menus and legends. */
import { labelsOf } from '../../../shared/base/text.ts'

export const chartLabel = labelsOf({
  'chart.set-scale.linear': 'Price scale: linear',
  'chart.set-scale.log': 'Price scale: logarithmic',
  'chart.set-scale.percent': 'Price scale: percent',
})
